package declared

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// zeroes are the defaults that are zero values: a field with such a value may have been given or not.
var zeroes = []string{"", "0", "false"}

// ends applies the rules that may end the checks of a field: those about its presence, about changes, and about its
// number of items.
func (c check) ends(at *field.Path, v, old reflect.Value, u activeRule, all []activeRule) (wrong field.ErrorList, ends bool) {
	name := u.name
	if i := slices.IndexFunc(all, func(u activeRule) bool { return u.name == "default" }); name == "optional" && i >= 0 {
		name = "required"
		if v.Kind() != reflect.Pointer && slices.Contains(zeroes, all[i].value) {
			return nil, false
		}
	}
	switch name {
	case "required":
		if !isSet(v) {
			return field.ErrorList{field.Required(at, "")}, true
		}
	case "optional":
		return nil, !isSet(v)
	case "forbidden":
		if isSet(v) {
			return field.ErrorList{field.Forbidden(at, "")}, true
		}
		return nil, true
	case "immutable":
		if c.update {
			return field.ErrorList{field.Invalid(at, nil, "field is immutable")}, true
		}
	case "update":
		wrong = c.updated(at, v, old, u.value, matches(all))
		return wrong, len(wrong) > 0
	case "maxItems":
		if n := number(u.value); int64(v.Len()) > n {
			return field.ErrorList{field.TooMany(at, v.Len(), int(n))}, true
		}
	}
	return nil, false
}

// updated checks the change of a field.
func (c check) updated(at *field.Path, v, old reflect.Value, what string, same func(a, b reflect.Value) bool) field.ErrorList {
	if !c.update || !old.IsValid() && v.Kind() != reflect.Pointer && v.Kind() != reflect.Slice {
		return nil
	}
	switch cur, prev := isSet(v), isSet(old); {
	case what == "NoSet" && cur && !prev:
		return field.ErrorList{field.Invalid(at, nil, "field cannot be set once created")}
	case what == "NoUnset" && !cur && prev:
		return field.ErrorList{field.Invalid(at, nil, "field cannot be cleared once set")}
	case what == "NoModify" && cur && prev:
		return field.ErrorList{field.Invalid(at, nil, "field cannot be modified once set")}
	}
	var errs field.ErrorList
	switch {
	case what == "NoAddItem" && same != nil:
		for i := range v.Len() {
			if !contains(old, v.Index(i), same) {
				errs = append(errs, field.Forbidden(at.Index(i), "item may not be added"))
			}
		}
	case what == "NoRemoveItem" && same != nil && old.IsValid():
		for i := range old.Len() {
			if !contains(v, old.Index(i), same) {
				errs = append(errs, field.Forbidden(at, "item may not be removed"))
			}
		}
	}
	return errs
}

func contains(list, item reflect.Value, same func(a, b reflect.Value) bool) bool {
	for i := 0; list.IsValid() && i < list.Len(); i++ {
		if same(list.Index(i), item) {
			return true
		}
	}
	return false
}

// leaf checks a value by one rule.
func (c check) leaf(at *field.Path, v, old reflect.Value, r rule) field.ErrorList {
	switch r.name {
	case "eachVal":
		return c.eachVal(at, v, old, *r.inner)
	case "eachKey":
		var errs field.ErrorList
		for _, key := range sortedKeys(v) { // reported for the field, not for the key
			if !c.update || !old.IsValid() || !old.MapIndex(key).IsValid() {
				errs = append(errs, c.leaf(at, key, reflect.Value{}, *r.inner)...)
			}
		}
		return errs
	}
	v, old = deref(v), deref(old)
	if !v.IsValid() {
		return nil
	}
	switch r.name {
	case "customValidation":
		return custom[r.owner+"."+r.field](at, v)
	case "format":
		return format(at, v.String(), r.value)
	case "minimum":
		n := v.Int()
		return validate.Minimum(context.Background(), operation.Operation{}, at, &n, nil, number(r.value))
	case "maximum":
		n := v.Int()
		return validate.Maximum(context.Background(), operation.Operation{}, at, &n, nil, number(r.value))
	case "maxLength":
		if !c.release.Has(kubeversion.DeclaredLengthsInCharacters) {
			return c.leaf(at, v, old, rule{name: "maxBytes", value: r.value})
		}
		if n := int(number(r.value)); utf8.RuneCountInString(v.String()) > n || int(math.Ceil(float64(len(v.String()))/4)) > n {
			return field.ErrorList{field.TooLongCharacters(at, v.String(), n)}
		}
	case "maxBytes":
		if n := int(number(r.value)); len(v.String()) > n {
			return field.ErrorList{field.TooLong(at, v.String(), n)}
		}
	case "maxProperties":
		if n := int(number(r.value)); v.Len() > n {
			return field.ErrorList{field.TooMany(at, v.Len(), n)}
		}
	case "monotonic":
		if c.update && old.IsValid() && v.Int() < old.Int() {
			return field.ErrorList{field.Invalid(at, v.Int(), fmt.Sprintf("may not be decreased from %v", old.Int()))}
		}
	case "enum":
		if values := strings.Split(r.arg, ","); !slices.Contains(values, v.String()) {
			return field.ErrorList{field.NotSupported(at, v.String(), values)}
		}
	}
	return nil
}

// eachVal checks the items of a list, or the values of a map, by one rule.
func (c check) eachVal(at *field.Path, v, old reflect.Value, r rule) field.ErrorList {
	var errs field.ErrorList
	do := func(at *field.Path, cur, prev reflect.Value) { errs = append(errs, c.leaf(at, cur, prev, r)...) }
	if v.Kind() == reflect.Map {
		c.eachValue(at, v, old, do)
		return errs
	}
	same := matches([]activeRule{{rule: rule{name: "listType", value: "set"}}})
	c.eachItem(at, v, old, same, do)
	return errs
}

// formats maps formats to their functions.
var formats = map[string]func(context.Context, operation.Operation, *field.Path, *string, *string) field.ErrorList{
	"k8s-short-name":                    validate.ShortName[string],
	"k8s-long-name":                     validate.LongName[string],
	"k8s-long-name-caseless":            validate.LongNameCaseless[string],
	"k8s-label-key":                     validate.LabelKey[string],
	"k8s-label-value":                   validate.LabelValue[string],
	"k8s-prefixed-label-key":            validate.PrefixedLabelKey[string],
	"k8s-path-segment-name":             validate.PathSegmentName[string],
	"k8s-uuid":                          validate.UUID[string],
	"k8s-resource-pool-name":            validate.ResourcePoolName[string],
	"k8s-extended-resource-name":        validate.ExtendedResourceName[string],
	"k8s-resource-fully-qualified-name": validate.ResourceFullyQualifiedName[string],
}

func format(at *field.Path, text, name string) field.ErrorList {
	f, ok := formats[name]
	if !ok {
		panic(fmt.Sprintf("declared: no format %s", name))
	}
	return f(context.Background(), operation.Operation{}, at, &text, nil)
}

// members applies the rules about several fields of a struct, each of which is declared with one of the fields.
func (c check) members(at *field.Path, v, old reflect.Value, t *declaredType) field.ErrorList {
	var errs field.ErrorList
	var one []member
	oneEnforced := true
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		for _, u := range c.active(t.fields[name]) {
			if u.name == "unionMember" {
				one = append(one, member{name, func(v reflect.Value) bool { return isSet(named(v, name)) }})
				oneEnforced = oneEnforced && u.enforced
			}
			if u.enforced && (u.name == "dependentRequired" || u.name == "dependentForbidden") {
				errs = append(errs, c.dependent(at, v, old, name, u.rule)...)
			}
		}
		errs = append(errs, c.inMode(at, v, old, name, t)...)
	}
	if len(one) == 0 || !oneEnforced {
		return errs
	}
	return append(errs, c.union(at, v, old, one, exactlyOne)...)
}

func (c check) dependent(at *field.Path, v, old reflect.Value, trigger string, r rule) field.ErrorList {
	given, other := isSet(named(v, trigger)), isSet(named(v, r.arg))
	switch {
	case c.update && old.IsValid() && given == isSet(named(old, trigger)) && other == isSet(named(old, r.arg)), !given:
	case r.name == "dependentRequired" && !other:
		return field.ErrorList{field.Required(child(at, r.arg), fmt.Sprintf("must be set when %s is set", trigger))}
	case r.name == "dependentForbidden" && other:
		return field.ErrorList{field.Forbidden(child(at, r.arg), fmt.Sprintf("may not be set when %s is set", trigger))}
	}
	return nil
}

// inMode requires a field in the modes for which it is declared, and forbids it in others.
func (c check) inMode(at *field.Path, v, old reflect.Value, name string, t *declaredType) field.ErrorList {
	modes := slices.DeleteFunc(c.active(t.fields[name]), func(u activeRule) bool { return u.name != "ifMode" || !u.enforced })
	if len(modes) == 0 {
		return nil
	}
	discriminator := t.discriminator()
	mode, cur, prev := named(v, discriminator), named(v, name), named(old, name)
	if c.update && old.IsValid() && mode.String() == named(old, discriminator).String() && semantic.DeepEqual(cur.Interface(), prev.Interface()) {
		return nil
	}
	for _, m := range modes {
		if m.arg == mode.String() {
			if m.inner.name == "required" && !isSet(cur) {
				return field.ErrorList{field.Required(child(at, name), "")}
			}
			return nil
		}
	}
	if isSet(cur) {
		return field.ErrorList{field.Forbidden(child(at, name), "")}
	}
	return nil
}

// A member of a union is a field of a struct, or an item of a list. in reports whether a struct or list has it.
type member struct {
	name string
	in   func(v reflect.Value) bool
}

// How many members of a union there may be.
type wanted bool

const (
	atMostOne  wanted = false
	exactlyOne wanted = true
)

// union limits the number of members of a union: kubernetes/apimachinery:pkg/api/validate/union.go. What an update
// leaves unchanged is not checked.
func (c check) union(at *field.Path, v, old reflect.Value, members []member, want wanted) field.ErrorList {
	var all, given []string
	changed := false
	for _, m := range members {
		all = append(all, "`"+m.name+"`")
		set := m.in(v)
		changed = changed || set != m.in(old)
		if set {
			given = append(given, m.name)
		}
	}
	switch {
	case c.update && old.IsValid() && !changed:
	case len(given) == 0 && want == exactlyOne:
		return field.ErrorList{field.Invalid(at, "", "must specify one of: "+strings.Join(all, ", "))}
	case len(given) > 1:
		words := "must specify at most one of: "
		if want == exactlyOne {
			words = "must specify exactly one of: "
		}
		return field.ErrorList{field.Invalid(at, "{"+strings.Join(given, ", ")+"}", words+strings.Join(all, ", "))}
	}
	return nil
}
