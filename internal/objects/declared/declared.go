// Package declared checks objects by the rules that are declared with their types: the tags (+k8s:…)
// in the comments of k8s.io/api, of which Kubernetes generates code. Here they are a table, which
// internal/cmd/declared makes of the published source, and one interpreter: so a new version of k8s.io/api
// brings its rules along.
//
// The package knows no kind. What a tag cannot say is written by hand, in the packages of the groups.
// Kinds are checked by their declared rules if these say so (rules.Of, Declared).
//
// It follows kubernetes/kubernetes:pkg/apis/*/zz_generated.validations.go and
// kubernetes/apimachinery:pkg/api/validate. Start with [Wrong].
package declared

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Wrong is what is wrong with an object, in the version of the request. It is new, or replaces old: what
// stays is not looked at.
func Wrong(obj, old runtime.Object, r *kubeversion.Release) field.ErrorList {
	return check{release: r}.whole(obj, old)
}

func (c check) whole(obj, old runtime.Object) field.ErrorList {
	if old == nil {
		return c.typed(nil, reflect.ValueOf(obj).Elem(), reflect.Value{})
	}
	c.update = true
	return c.typed(nil, reflect.ValueOf(obj).Elem(), reflect.ValueOf(old).Elem())
}

// A check is one look at an object.
type check struct {
	release *kubeversion.Release
	update  bool
	later   bool // only what laterFields has
}

// laterFields are fields, with their gates, of kinds whose other rules are written by hand.
var laterFields = map[string]string{
	"batch/v1 JobSpec.scheduling":                               "WorkloadWithJob",
	"core/v1 NodeSpec.podPreemptionPolicy":                      "InPlacePodVerticalScalingSchedulerPreemption",
	"core/v1 PersistentVolumeClaimStatus.healthStatus":          "CSIVolumeHealth",
	"core/v1 PodStatus.volumeHealth":                            "CSIVolumeHealth",
	"resource/v1 ResourceSliceSpec.partitionTypeAttribute":      "DRAPartitionableDevicesType",
	"resource/v1 ResourceSliceSpec.skipNodeOperations":          "DRAOptionalNodeOperations",
	"resource/v1beta1 ResourceSliceSpec.partitionTypeAttribute": "DRAPartitionableDevicesType",
	"resource/v1beta1 ResourceSliceSpec.skipNodeOperations":     "DRAOptionalNodeOperations",
	"resource/v1beta2 ResourceSliceSpec.partitionTypeAttribute": "DRAPartitionableDevicesType",
	"resource/v1beta2 ResourceSliceSpec.skipNodeOperations":     "DRAOptionalNodeOperations",
	"core/v1 PodSpec.evictionResponders":                        "EvictionRequestAPI",
}

// LaterWrong is the same for the fields behind gates that are on, of kinds whose other rules are
// written by hand.
func LaterWrong(obj, old runtime.Object, r *kubeversion.Release) field.ErrorList {
	if !anyLater(r) {
		return nil
	}
	return check{release: r, later: true}.whole(obj, old)
}

func anyLater(r *kubeversion.Release) bool {
	for _, gate := range laterFields {
		if r.Enabled(gate) {
			return true
		}
	}
	return false
}

// A use is a rule that counts. One that is not enforced still ends the checks of a field.
type use struct {
	rule
	enforced bool
}

// uses are the rules of a list that count: alpha ones are not enforced, beta ones since 1.37, and
// some only with a gate or without it.
func (c check) uses(list []rule) []use {
	var all []use
	for _, r := range list {
		u, counts := use{rule: r, enforced: true}, true
		for counts && u.inner != nil {
			switch u.name {
			case "alpha":
				u.enforced = false
			case "beta":
				u.enforced = u.enforced && c.release.Has(kubeversion.DeclaredErrors)
			case "ifEnabled":
				counts = c.release.Enabled(u.arg)
			case "ifDisabled":
				counts = !c.release.Enabled(u.arg)
			default:
				all, counts = append(all, u), false
				continue
			}
			u.rule = *u.inner
		}
		if counts {
			all = append(all, u)
		}
	}
	return all
}

// typed checks a value by the rules of its type, and what is in it by those of theirs. old is not
// valid if there is none.
func (c check) typed(at *field.Path, v, old reflect.Value) field.ErrorList {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		return c.typed(at, v.Elem(), deref(old))
	}
	old = deref(old)
	var errs field.ErrorList
	t := typeOf(v.Type())
	if t != nil && !c.later {
		for _, u := range c.uses(t.own) {
			if u.enforced {
				errs = append(errs, c.leaf(at, v, old, u.rule)...)
			}
		}
	}
	if v.Kind() != reflect.Struct || isOpaque(v.Type()) {
		return errs
	}
	if t != nil && !c.later {
		errs = append(errs, c.members(at, v, old, t)...)
	}
	return append(errs, c.fields(at, v, old, t)...)
}

// isOpaque reports whether a type belongs to another module, whose rules are not in k8s.io/api, nor were.
func isOpaque(t reflect.Type) bool {
	return !strings.HasPrefix(t.PkgPath(), published) && t.PkgPath() != kept
}

func (c check) fields(at *field.Path, v, old reflect.Value, t *declaredType) field.ErrorList {
	var errs field.ErrorList
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		is, was := v.Field(i), fieldOf(old, i)
		switch {
		case f.Type == reflect.TypeFor[metav1.TypeMeta](), f.Type == reflect.TypeFor[metav1.ObjectMeta]():
		case name == "" && f.Anonymous:
			errs = append(errs, c.typed(at, is, was)...)
		case name != "" && name != "-":
			var rules []rule
			if t != nil {
				rules = t.fields[name]
			}
			errs = append(errs, c.of(rules).field(child(at, name), is, was, rules)...)
		}
	}
	return errs
}

// of is the check for a field with these rules.
func (c check) of(rules []rule) check {
	if c.later && len(rules) > 0 {
		gate, ok := laterFields[rules[0].owner+"."+rules[0].field]
		c.later = !ok || !c.release.Enabled(gate)
	}
	return c
}

// field checks one field: first by those rules after which nothing else counts, then by the others,
// then by those of its type.
func (c check) field(at *field.Path, v, old reflect.Value, rules []rule) field.ErrorList {
	if c.update && old.IsValid() && semantic.DeepEqual(v.Interface(), old.Interface()) {
		return nil
	}
	if c.later {
		return c.content(at, v, old, nil)
	}
	uses := c.uses(rules)
	var errs field.ErrorList
	stop := false
	for _, u := range uses {
		wrong, ends := c.ends(at, v, old, u, uses)
		stop = stop || ends
		if u.enforced {
			errs = append(errs, wrong...)
		}
	}
	if stop || has(uses, "opaqueType") {
		return errs
	}
	for _, u := range uses {
		if u.enforced {
			errs = append(errs, c.leaf(at, v, old, u.rule)...)
		}
	}
	return append(errs, c.content(at, v, old, uses)...)
}

// content checks the items of a list, the values of a map, or what a field holds.
func (c check) content(at *field.Path, v, old reflect.Value, uses []use) field.ErrorList {
	var errs field.ErrorList
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		same := matches(uses)
		errs = append(errs, unique(at, v, uses, same)...)
		c.eachItem(at, v, old, same, func(at *field.Path, is, was reflect.Value) {
			errs = append(errs, c.typed(at, is, was)...)
		})
	case v.Kind() == reflect.Map:
		c.eachValue(at, v, old, func(at *field.Path, is, was reflect.Value) {
			errs = append(errs, c.typed(at, is, was)...)
		})
	default:
		errs = append(errs, c.typed(at, v, old)...)
	}
	return errs
}

// eachItem goes through the items of a list, but for those that are in the old one.
func (c check) eachItem(at *field.Path, v, old reflect.Value, same func(a, b reflect.Value) bool, do func(at *field.Path, is, was reflect.Value)) {
	for i := range v.Len() {
		is, was := v.Index(i), reflect.Value{}
		for j := 0; same != nil && old.IsValid() && j < old.Len() && !was.IsValid(); j++ {
			if same(old.Index(j), is) {
				was = old.Index(j)
			}
		}
		if c.update && was.IsValid() && semantic.DeepEqual(is.Interface(), was.Interface()) {
			continue
		}
		do(at.Index(i), is, was)
	}
}

func (c check) eachValue(at *field.Path, v, old reflect.Value, do func(at *field.Path, is, was reflect.Value)) {
	for _, key := range sortedKeys(v) {
		is, was := v.MapIndex(key), reflect.Value{}
		if old.IsValid() {
			was = old.MapIndex(key)
		}
		if c.update && was.IsValid() && semantic.DeepEqual(is.Interface(), was.Interface()) {
			continue
		}
		do(at.Key(key.String()), is, was)
	}
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	return keys
}

// matches returns which items of two lists are the same one, by the keys of the list; nil if it has none.
func matches(uses []use) func(a, b reflect.Value) bool {
	var keys []string
	for _, u := range uses {
		switch {
		case u.name == "listMapKey":
			keys = append(keys, u.value)
		case (u.name == "listType" || u.name == "unique") && u.value == "set":
			return func(a, b reflect.Value) bool { return semantic.DeepEqual(a.Interface(), b.Interface()) }
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return func(a, b reflect.Value) bool {
		for _, key := range keys {
			x, y := named(a, key), named(b, key)
			if !x.IsValid() || !y.IsValid() || !semantic.DeepEqual(x.Interface(), y.Interface()) {
				return false
			}
		}
		return true
	}
}

// unique asks that no item comes twice.
func unique(at *field.Path, v reflect.Value, uses []use, same func(a, b reflect.Value) bool) field.ErrorList {
	i := slices.IndexFunc(uses, func(u use) bool {
		return u.name == "listType" && (u.value == "map" || u.value == "set") || u.name == "unique"
	})
	if i < 0 || !uses[i].enforced || same == nil || has(uses, "customUnique") {
		return nil
	}
	var errs field.ErrorList
	for i := range v.Len() {
		for j := range i {
			if same(v.Index(i), v.Index(j)) {
				errs = append(errs, field.Duplicate(at.Index(i), v.Index(i).Interface()))
				break
			}
		}
	}
	return errs
}

func has(uses []use, name string) bool {
	return slices.ContainsFunc(uses, func(u use) bool { return u.name == name })
}

// isSet reports whether a field was given. A struct always is.
func isSet(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Slice, reflect.Map:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}

func deref(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem() // not valid where it is nil
	}
	return v
}

func fieldOf(v reflect.Value, i int) reflect.Value {
	if !v.IsValid() {
		return reflect.Value{}
	}
	return v.Field(i)
}

// named is the field that has this name in JSON.
func named(v reflect.Value, name string) reflect.Value {
	v = deref(v)
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i := range v.NumField() {
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

func child(at *field.Path, name string) *field.Path {
	if at == nil {
		return field.NewPath(name)
	}
	return at.Child(name)
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		panic(fmt.Sprintf("declared: %q in the table is no number", text))
	}
	return n
}
