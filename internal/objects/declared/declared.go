// Package declared checks objects by the rules that are declared with their types: the tags (+k8s:…) in the comments of
// k8s.io/api, from which Kubernetes generates code. Here they are a table, which internal/cmd/declared generates from
// the published source code, and one interpreter. So a new version of k8s.io/api comes with its rules.
//
// The package does not know any kind. Rules that cannot be declared are written by hand, in the packages of the groups.
// A kind is checked by its declared rules if it asks for this (rules.Of, Declared).
//
// The package follows kubernetes/kubernetes:pkg/apis/*/zz_generated.validations.go and
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

// Wrong returns the errors about an object in the version of the request. The object is new, or replaces old, in which
// case unchanged parts are not checked.
func Wrong(obj, old runtime.Object, r *kubeversion.Release) field.ErrorList {
	return check{release: r, types: today()}.whole(obj, old)
}

// WrongTakenOver is Wrong by the rules that a release with the gate DeclarativeValidationTakeover enforces. It also
// reports whether the release has such rules for the API version of the object.
func WrongTakenOver(obj, old runtime.Object, r *kubeversion.Release) (field.ErrorList, bool) {
	types := takeoverOf(r)
	if !types.covers(reflect.TypeOf(obj).Elem()) {
		return nil, false
	}
	return check{release: r, types: types}.whole(obj, old), true
}

func (c check) whole(obj, old runtime.Object) field.ErrorList {
	if old == nil {
		return c.typed(nil, reflect.ValueOf(obj).Elem(), reflect.Value{})
	}
	c.update = true
	return c.typed(nil, reflect.ValueOf(obj).Elem(), reflect.ValueOf(old).Elem())
}

// A check is one validation of an object.
type check struct {
	release *kubeversion.Release
	types   table
	update  bool
	later   bool // only the fields in laterFields
}

// laterFields holds the fields behind gates, in kinds whose other rules are written by hand.
var laterFields = map[string]laterField{
	"batch/v1 JobSpec.scheduling":                               {gate: "WorkloadWithJob"},
	"core/v1 NodeSpec.podPreemptionPolicy":                      {gate: "InPlacePodVerticalScalingSchedulerPreemption"},
	"core/v1 PersistentVolumeClaimStatus.healthStatus":          {gate: "CSIVolumeHealth"},
	"core/v1 PodSpec.evictionResponders":                        {gate: "EvictionRequestAPI"},
	"core/v1 PodStatus.nodeAllocatableResourceClaimStatuses":    {gate: "DRANodeAllocatableResources", since: kubeversion.AllocatableClaimsMapped},
	"core/v1 PodStatus.volumeHealth":                            {gate: "CSIVolumeHealth"},
	"resource/v1 ResourceSliceSpec.partitionTypeAttribute":      {gate: "DRAPartitionableDevicesType"},
	"resource/v1 ResourceSliceSpec.skipNodeOperations":          {gate: "DRAOptionalNodeOperations"},
	"resource/v1beta1 ResourceSliceSpec.partitionTypeAttribute": {gate: "DRAPartitionableDevicesType"},
	"resource/v1beta1 ResourceSliceSpec.skipNodeOperations":     {gate: "DRAOptionalNodeOperations"},
	"resource/v1beta2 ResourceSliceSpec.partitionTypeAttribute": {gate: "DRAPartitionableDevicesType"},
	"resource/v1beta2 ResourceSliceSpec.skipNodeOperations":     {gate: "DRAOptionalNodeOperations"},
}

// A laterField is checked by the declared rules if its gate is on, in releases that declare them.
type laterField struct {
	gate  string
	since kubeversion.Feature // none: in all releases that have the gate
}

func (f laterField) isIn(r *kubeversion.Release) bool { return r.Enabled(f.gate) && r.Has(f.since) }

// LaterWrong is Wrong for the fields behind enabled gates, in kinds whose other rules are written by hand.
func LaterWrong(obj, old runtime.Object, r *kubeversion.Release) field.ErrorList {
	if !anyLater(r) {
		return nil
	}
	return check{release: r, types: today(), later: true}.whole(obj, old)
}

func anyLater(r *kubeversion.Release) bool {
	for _, f := range laterFields {
		if f.isIn(r) {
			return true
		}
	}
	return false
}

// An activeRule is a rule that applies. If it is not enforced, it can still end the checks of a field.
type activeRule struct {
	rule
	enforced bool
}

// active returns the rules of a list that apply: alpha rules are not enforced, beta rules since 1.37, and some rules
// depend on a gate that is on or off.
func (c check) active(list []rule) []activeRule {
	var all []activeRule
	for _, r := range list {
		u, counts := activeRule{rule: r, enforced: true}, true
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

// typed checks a value by the rules of its type, and its parts by the rules of theirs. old is the zero Value if there
// is none.
func (c check) typed(at *field.Path, v, old reflect.Value) field.ErrorList {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		return c.typed(at, v.Elem(), deref(old))
	}
	old = deref(old)
	var errs field.ErrorList
	t := c.types.of(v.Type())
	if t != nil && !c.later {
		for _, u := range c.active(t.own) {
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

// isOpaque reports whether a type belongs to another module, whose rules are not in k8s.io/api, and never were.
func isOpaque(t reflect.Type) bool {
	return !strings.HasPrefix(t.PkgPath(), published) && t.PkgPath() != builtinPath
}

func (c check) fields(at *field.Path, v, old reflect.Value, t *declaredType) field.ErrorList {
	var errs field.ErrorList
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		cur, prev := v.Field(i), fieldOf(old, i)
		switch {
		case f.Type == reflect.TypeFor[metav1.TypeMeta]():
		case name == "" && f.Anonymous:
			errs = append(errs, c.typed(at, cur, prev)...)
		case name != "" && name != "-":
			var rules []rule
			if t != nil {
				rules = t.fields[name]
			}
			errs = append(errs, c.forField(rules).field(child(at, name), cur, prev, rules)...)
		}
	}
	return errs
}

// forField returns the check for a field with these rules.
func (c check) forField(rules []rule) check {
	if c.later && len(rules) > 0 {
		f, ok := laterFields[rules[0].owner+"."+rules[0].field]
		c.later = !ok || !f.isIn(c.release)
	}
	return c
}

// field checks one field: first by the rules that may end its checks, then by the others, then by those of its type.
func (c check) field(at *field.Path, v, old reflect.Value, rules []rule) field.ErrorList {
	if c.keeps(v, old) {
		return nil
	}
	active := c.active(rules)
	if c.later {
		if isOpaqueField(active) {
			return nil
		}
		return c.content(at, v, old, nil)
	}
	var errs field.ErrorList
	stop := false
	for _, u := range active {
		wrong, ends := c.ends(at, v, old, u, active)
		stop = stop || ends
		if u.enforced {
			errs = append(errs, wrong...)
		}
	}
	if stop || has(active, "opaqueType") {
		return errs
	}
	for i, u := range active {
		switch {
		case u.name == "subfield" && !slices.ContainsFunc(active[:i], u.isAboutSame):
			errs = append(errs, c.field(child(at, u.arg), named(v, u.arg), named(old, u.arg), aboutSame(active, u))...)
		case u.name == "subfield": // was checked together with the first rule about the same field
		case u.enforced:
			errs = append(errs, c.leaf(at, v, old, u.rule)...)
		}
	}
	errs = append(errs, c.exclusiveItems(at, v, old, active)...)
	return append(errs, c.content(at, v, old, active)...)
}

// isAboutSame reports whether another rule is about the same field of the value.
func (u activeRule) isAboutSame(other activeRule) bool {
	return other.name == u.name && other.arg == u.arg
}

// aboutSame returns the rules for the field of the value that u is about.
func aboutSame(active []activeRule, u activeRule) (rules []rule) {
	for _, other := range active {
		if !u.isAboutSame(other) {
			continue
		}
		inner := *other.inner
		if !other.enforced {
			inner = rule{name: "alpha", inner: &inner}
		}
		rules = append(rules, inner)
	}
	return rules
}

// exclusiveItems lets a list contain at most one of some items, each of which is declared by a value of its key.
func (c check) exclusiveItems(at *field.Path, v, old reflect.Value, active []activeRule) field.ErrorList {
	var members []member
	for _, u := range active {
		if u.name != "item" || u.inner.name != "zeroOrOneOfMember" || !u.enforced {
			continue
		}
		key, value, _ := strings.Cut(u.arg, ": ")
		value = strings.Trim(value, `"`)
		list := u.field
		if !c.release.Has(kubeversion.DeclaredListsChecked) {
			list = strings.ToUpper(list[:1]) + list[1:]
		}
		members = append(members, member{
			name: fmt.Sprintf("%s[{%q: %q}]", list, key, value),
			in: func(v reflect.Value) bool {
				for i := 0; v.IsValid() && i < v.Len(); i++ {
					if named(v.Index(i), key).String() == value {
						return true
					}
				}
				return false
			},
		})
	}
	if len(members) == 0 {
		return nil
	}
	return c.union(at, v, old, members, atMostOne)
}

// keeps reports whether an update leaves a field unchanged, so that it is not checked.
func (c check) keeps(v, old reflect.Value) bool {
	return c.update && old.IsValid() && c.release.Has(kubeversion.DeclaredUnchangedKept) && semantic.DeepEqual(v.Interface(), old.Interface())
}

// isOpaqueField reports whether the types of a field, or of the items in it, have no say.
func isOpaqueField(active []activeRule) bool {
	return slices.ContainsFunc(active, func(u activeRule) bool {
		return u.name == "opaqueType" || u.name == "eachVal" && u.inner.name == "opaqueType"
	})
}

// content checks the items of a list, the values of a map, or the value of a field.
func (c check) content(at *field.Path, v, old reflect.Value, active []activeRule) field.ErrorList {
	var errs field.ErrorList
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		same := matches(active)
		errs = append(errs, c.unique(at, v, active, same)...)
		if isOpaqueField(active) {
			return errs
		}
		c.eachItem(at, v, old, same, func(at *field.Path, cur, prev reflect.Value) {
			errs = append(errs, c.typed(at, cur, prev)...)
		})
	case v.Kind() == reflect.Map:
		c.eachValue(at, v, old, func(at *field.Path, cur, prev reflect.Value) {
			errs = append(errs, c.typed(at, cur, prev)...)
		})
	default:
		errs = append(errs, c.typed(at, v, old)...)
	}
	return errs
}

// eachItem calls do for the items of a list, except for those that are unchanged from the old list.
func (c check) eachItem(at *field.Path, v, old reflect.Value, same func(a, b reflect.Value) bool, do func(at *field.Path, cur, prev reflect.Value)) {
	for i := range v.Len() {
		cur, prev := v.Index(i), reflect.Value{}
		for j := 0; same != nil && old.IsValid() && j < old.Len() && !prev.IsValid(); j++ {
			if same(old.Index(j), cur) {
				prev = old.Index(j)
			}
		}
		if c.update && prev.IsValid() && semantic.DeepEqual(cur.Interface(), prev.Interface()) {
			continue
		}
		do(at.Index(i), cur, prev)
	}
}

func (c check) eachValue(at *field.Path, v, old reflect.Value, do func(at *field.Path, cur, prev reflect.Value)) {
	for _, key := range sortedKeys(v) {
		cur, prev := v.MapIndex(key), reflect.Value{}
		if old.IsValid() {
			prev = old.MapIndex(key)
		}
		if c.update && prev.IsValid() && semantic.DeepEqual(cur.Interface(), prev.Interface()) {
			continue
		}
		do(at.Key(key.String()), cur, prev)
	}
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	return keys
}

// matches returns a function that reports whether items of two lists are the same, by the keys of the list, or nil if
// it has none.
func matches(active []activeRule) func(a, b reflect.Value) bool {
	var keys []string
	for _, u := range active {
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

// unique refuses duplicate items.
func (c check) unique(at *field.Path, v reflect.Value, active []activeRule, same func(a, b reflect.Value) bool) field.ErrorList {
	i := slices.IndexFunc(active, func(u activeRule) bool {
		return u.name == "listType" && (u.value == "map" || u.value == "set") || u.name == "unique"
	})
	if i < 0 || !active[i].enforced || same == nil || has(active, "customUnique") || !c.release.Has(kubeversion.DeclaredListsChecked) {
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

func has(active []activeRule, name string) bool {
	return slices.ContainsFunc(active, func(u activeRule) bool { return u.name == name })
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
		v = v.Elem() // the zero Value for nil
	}
	return v
}

func fieldOf(v reflect.Value, i int) reflect.Value {
	if !v.IsValid() {
		return reflect.Value{}
	}
	return v.Field(i)
}

// named returns the field with a JSON name.
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
