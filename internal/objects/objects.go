// Package objects does what the API server does to an object of a kind, except for admission: how the object is read,
// which defaults it gets, how its versions are converted, what the server itself changes before a write, and what it
// refuses.
//
// It does not know who writes the object, in which order the steps of a request come, or what admission decides.
//
// Start with [New], which returns the [Types] of one cluster. Its methods do not change their arguments, but return new
// objects.
//
// A built-in kind is a Go type of k8s.io/api with rules. The rules are in the package of its API group: plain
// functions, listed in the group's kinds.go. Package rules has their building blocks, package kinds the list of all
// groups. [New] takes that list, so this package does not depend on any group. A kind without rules still has its
// metadata prepared and validated. To add a rule, add a line to the kind's function; to add a kind, write its rules and
// list them. Custom resources are implemented by package custom, which is on the list as well; the rest of this package
// treats both as a [kind].
package objects

import (
	"fmt"
	"reflect"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/unset"
	"github.com/admsim/admsim/pkg/cluster"
)

// A Resource is what the package needs to know about a kind that the cluster serves.
type Resource struct {
	Namespaced bool
	Storage    schema.GroupVersionKind
	CRD        *apiextensionsv1.CustomResourceDefinition // nil for built-in kinds
}

// Types knows all kinds of one cluster. It is safe for concurrent use.
type Types struct {
	served  func(schema.GroupVersionKind) (Resource, bool)
	options rules.Options
	*Table

	schemas *managedfields.Schemas
	typed   memo.Map // typedKey → *typed
	customs memo.Map // *apiextensionsv1.CustomResourceDefinition → func() (Custom, error)
	later   laterFields
	absent  absentFields
	losses  losses
	raw     rawJSON
	unset   *unset.Fields // which the release writes although they are not set (W-138)
	order   unset.Order
}

// A Table has the rules of built-in kinds, and compiles custom kinds.
type Table struct {
	hubs     map[schema.GroupVersionKind]rules.Kind
	versions map[schema.GroupVersionKind]*rules.Version
	compile  func(*apiextensionsv1.CustomResourceDefinition, rules.Options) (Custom, error)
}

// NewTable returns the table of these kinds. compile returns the kind of a CRD.
func NewTable[C Custom](compile func(*apiextensionsv1.CustomResourceDefinition, rules.Options) (C, error), groups ...rules.Kinds) *Table {
	t := &Table{
		hubs:     map[schema.GroupVersionKind]rules.Kind{},
		versions: map[schema.GroupVersionKind]*rules.Version{},
		compile: func(crd *apiextensionsv1.CustomResourceDefinition, o rules.Options) (Custom, error) {
			return compile(crd, o)
		},
	}
	for _, g := range groups {
		for _, e := range g.Hubs {
			t.hubs[e.GVK()] = e
		}
		for _, s := range g.Versions {
			t.versions[s.GVK] = s
		}
	}
	return t
}

// New returns the types of a cluster. served returns the resource that is served for a kind; if it is nil, nothing is
// known about the cluster. Unknown built-in kinds are handled as if they were served. schemas holds the schemas for
// server-side apply, and may outlive the types; if it is nil, new ones are built.
func New(served func(schema.GroupVersionKind) (Resource, bool), table *Table, schemas *managedfields.Schemas, o rules.Options) *Types {
	if served == nil {
		served = func(schema.GroupVersionKind) (Resource, bool) { return Resource{}, false }
	}
	o = o.WithDefaults()
	if schemas == nil {
		schemas = NewSchemas(o.Release)
	}
	return &Types{
		served: served, options: o, Table: table, schemas: schemas,
		later:  laterFields{release: o.Release},
		absent: absentFields{list: o.Release.AbsentFields, types: map[reflect.Type]*fieldTree{}},
		unset:  unset.New(o.Release.Unset()...),
		order:  unset.Order{Former: builtin.FormerFields},
	}
}

// Decode reads the JSON of a request's body as an object of that kind. Unknown fields are treated as s says, then the
// object is defaulted and normalised (PL-06). The error is a status error with the server's message; there may be
// warnings in addition.
func (t *Types) Decode(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, warnings []string, err error) {
	return t.DecodeConverted(data, nil, gvk, s)
}

// DecodeConverted is like [Types.Decode], for a body that became JSON. found is what was wrong with it before, and is
// treated like unknown fields.
func (t *Types) DecodeConverted(data []byte, found []error, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, warnings []string, err error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	if obj, warnings, err = k.Decode(data, found, gvk, s); err != nil {
		return nil, warnings, err
	}
	return k.Defaults(obj), warnings, nil
}

// DecodePatched is like [Types.Decode], for an object after a client's patch. Where Decode would refuse a body with a
// 400 of its own, the patch is at fault here. The error is the server's reason.
func (t *Types) DecodePatched(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, warnings []string, err error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	if obj, warnings, err = k.DecodePatched(data, gvk, s); err != nil {
		return nil, nil, err
	}
	return k.Defaults(obj), warnings, nil
}

// DecodePatchedScale is like [Types.DecodePatched], for the Scale of a custom resource in the version that its server
// uses. There is no internal Go struct for it, so it can be read without a version, too (PL-24a).
func (t *Types) DecodePatchedScale(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (scale runtime.Object, warnings []string, err error) {
	k, err := t.newTyped(gvk, true)
	if err != nil {
		return nil, nil, err
	}
	if scale, warnings, err = k.decodeNamed(data, gvk, s); err != nil {
		return nil, nil, err
	}
	return k.Defaults(scale), warnings, nil
}

// Patched reads the JSON of an object of that kind after a webhook's patch. The object is not defaulted (W-210 ..
// W-214); the error has the server's text.
func (t *Types) Patched(data []byte, gvk schema.GroupVersionKind) (runtime.Object, error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, err
	}
	return k.Patched(data, gvk, rules.Ignore)
}

// PatchedStrictly is like [Types.Patched], for the patch of a policy, where fields that a built-in kind does not have
// are errors (W-306).
func (t *Types) PatchedStrictly(data []byte, gvk schema.GroupVersionKind) (runtime.Object, error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, err
	}
	return k.Patched(data, gvk, rules.Strict)
}

// Default returns obj with the defaults of its version, and with the changes of a round trip through the internal
// version (RT-01).
func (t *Types) Default(obj runtime.Object) runtime.Object {
	k, ok := t.kindFor(obj, schema.GroupVersionKind{})
	if !ok {
		return obj
	}
	return k.Defaults(obj.DeepCopyObject())
}

// DefaultVersion returns obj with the defaults of its version only. This is how the server has an object just changed
// by a webhook or a policy, until the object goes through the internal version (W-213, W-309).
func (t *Types) DefaultVersion(obj runtime.Object) runtime.Object {
	k, ok := t.kindFor(obj, schema.GroupVersionKind{})
	if !ok {
		return obj
	}
	return k.VersionDefaults(obj.DeepCopyObject())
}

// Normalise returns obj with the changes of a round trip through the internal version (RT-01), which
// [Types.DefaultVersion] does not make.
func (t *Types) Normalise(obj runtime.Object) runtime.Object {
	k, ok := t.kindFor(obj, schema.GroupVersionKind{})
	if !ok {
		return obj
	}
	return k.Normalised(obj)
}

// Convert returns obj in another version of its kind.
func (t *Types) Convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
	from := obj.GetObjectKind().GroupVersionKind()
	if from == to {
		return obj, nil
	}
	known := from
	if _, isCustom := obj.(*unstructured.Unstructured); isCustom && !(t.isCustom(from) && !t.isCustom(to)) {
		known = to // a patch may have changed the kind, so it only counts if it is the version that is not served
	}
	k, err := t.kind(known)
	if err != nil {
		return nil, err
	}
	return k.Convert(obj, to)
}

// isCustom reports whether a CRD serves the kind.
func (t *Types) isCustom(gvk schema.GroupVersionKind) bool {
	r, ok := t.served(gvk)
	return ok && r.CRD != nil
}

// PrepareForCreate returns obj with the changes that the server makes before it creates the object, after mutating
// admission (PC-01).
func (t *Types) PrepareForCreate(obj runtime.Object, w rules.Write) runtime.Object {
	return t.PrepareCopy(cluster.ShallowCopy(obj), w)
}

// PrepareCopy is like [Types.PrepareForCreate], but may change obj, which must be a copy made by [cluster.ShallowCopy].
// It only changes what that copies.
func (t *Types) PrepareCopy(obj runtime.Object, w rules.Write) runtime.Object {
	return t.kindOf(obj, w).PrepareForCreate(obj, w)
}

// Export returns what a GET with export=true changes in an object, in addition to its metadata (PL-35). exact keeps what
// only belongs to the object's cluster.
func (t *Types) Export(obj runtime.Object, exact bool, w rules.Write) (runtime.Object, field.ErrorList) {
	return t.kindOf(obj, w).Export(obj, exact, w)
}

// PrepareForUpdate returns obj with the changes that the server makes before obj replaces old, in the same version.
// Which fields are reset or kept depends on the subresource.
func (t *Types) PrepareForUpdate(obj, old runtime.Object, w rules.Write) runtime.Object {
	return t.kindOf(obj, w).PrepareForUpdate(obj.DeepCopyObject(), old, w)
}

// AfterUpdate returns old as it is once [Types.PrepareForUpdate] has prepared the object that replaces it: what the
// server shows as the old object from then on. It does not change old.
func (t *Types) AfterUpdate(old runtime.Object, w rules.Write) runtime.Object {
	return t.kindOf(old, w).AfterUpdate(old, w)
}

// Validate returns what is wrong with a new object.
func (t *Types) Validate(obj runtime.Object, w rules.Write) field.ErrorList {
	return t.kindOf(obj, w).Validate(obj, w)
}

// ValidateUpdate returns what is wrong with an object that is to replace old, which has the same version.
func (t *Types) ValidateUpdate(obj, old runtime.Object, w rules.Write) field.ErrorList {
	return t.kindOf(obj, w).ValidateUpdate(obj, old, w)
}

// WarningsOnCreate returns the server's warnings about an accepted object.
func (t *Types) WarningsOnCreate(obj runtime.Object, w rules.Write) []string {
	return t.kindOf(obj, w).Warnings(obj, nil, w)
}

// WarningsOnUpdate is like [Types.WarningsOnCreate], for an object that replaces old.
func (t *Types) WarningsOnUpdate(obj, old runtime.Object, w rules.Write) []string {
	return t.kindOf(obj, w).Warnings(obj, old, w)
}

// Behaviour returns how writes of that kind differ from the usual ones.
func (t *Types) Behaviour(gvk schema.GroupVersionKind) rules.Behaviour {
	k, err := t.kind(gvk)
	if err != nil {
		return rules.Behaviour{}
	}
	return k.Behaviour()
}

// kindOf returns the kind as which an object is written. It must be known, since this package creates the objects.
func (t *Types) kindOf(obj runtime.Object, w rules.Write) kind {
	k, ok := t.kindFor(obj, w.Kind)
	if !ok {
		panic(fmt.Sprintf("objects: no kind %v", obj.GetObjectKind().GroupVersionKind()))
	}
	return k
}

// kindFor returns the kind of an object that is expected to be of kind expected, unless that is empty. The kind of a
// custom resource may be unknown, since a patch can change it.
func (t *Types) kindFor(obj runtime.Object, expected schema.GroupVersionKind) (k kind, ok bool) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	_, isCustom := obj.(*unstructured.Unstructured)
	if isCustom && !expected.Empty() {
		gvk = expected
	}
	k, err := t.kind(gvk)
	if err != nil {
		return nil, false
	}
	if isCustom {
		_, ok := k.(Custom)
		return k, ok
	}
	return k, true
}

func (t *Types) kind(gvk schema.GroupVersionKind) (kind, error) {
	r, ok := t.served(gvk)
	if ok && r.CRD != nil {
		return t.custom(r.CRD)
	}
	if !ok {
		namespaced, known := t.options.Release.Namespaced(gvk)
		r.Namespaced = namespaced || !known
	}
	key := typedKey{gvk, r.Namespaced}
	if known, ok := t.typed.Load(key); ok {
		return known.(*typed), nil
	}
	made, err := t.newTyped(gvk, r.Namespaced)
	if err == nil {
		t.typed.Store(key, made)
	}
	return made, err
}

type typedKey struct {
	schema.GroupVersionKind
	namespaced bool
}

// custom compiles a CRD at its first use and keeps the result.
func (t *Types) custom(crd *apiextensionsv1.CustomResourceDefinition) (kind, error) {
	compile, ok := t.customs.Load(crd)
	if !ok {
		once := sync.OnceValues(func() (Custom, error) { return t.compile(crd, t.options) })
		compile, _ = t.customs.LoadOrStore(crd, once)
	}
	return compile.(func() (Custom, error))()
}

// InV1 returns an object in version v1 of that kind, or nil if there is none.
func (t *Types) InV1(obj runtime.Object, kind schema.GroupKind) runtime.Object {
	if obj == nil {
		return nil
	}
	converted, err := t.Convert(obj, kind.WithVersion("v1"))
	if err != nil {
		return nil
	}
	return converted
}
