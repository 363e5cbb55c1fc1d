// Package objects knows how the API server treats an object of a kind, apart from
// admission: how it is read, which defaults it gets, how its versions convert into each
// other, what the server changes of its own before a write, and what it refuses.
//
// It does not know who wants to write the object, in which order the steps of a request
// come, or what admission thinks of it.
//
// Start with [New], which gives the [Types] of one cluster. Every method takes objects as
// they are and returns new ones: nothing that was handed in is changed.
//
// A built-in kind is the Go type of k8s.io/api and its [rules], plain functions that stand
// in the file of its API group (core_pod.go, apps.go, …) and are listed in builtin.go. A kind
// without rules still has its metadata prepared and validated. To add a rule, write it as one
// more line of the kind's function; to add a kind, write its rules and list them. Custom
// resources are the custom*.go files; both are a [kind] to the rest of the package.
package objects

import (
	"fmt"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/shallow"
)

// A Resource is what the package asks about a kind that the cluster serves.
type Resource struct {
	Namespaced bool
	Storage    schema.GroupVersionKind
	CRD        *apiextensionsv1.CustomResourceDefinition // nil for built-in kinds
}

// Types answers for all kinds of one cluster. It is safe for concurrent use.
type Types struct {
	served  func(schema.GroupVersionKind) (Resource, bool)
	options Options
	*Table

	typed   sync.Map // typedKey → *typed
	customs sync.Map // *apiextensionsv1.CustomResourceDefinition → func() (*custom, error)
	later   laterFields
	lists   listFields
}

// A Table has the rules of built-in kinds.
type Table struct {
	hubs     map[schema.GroupVersionKind]*entry
	versions map[schema.GroupVersionKind]*spoke
}

// newTable returns the table of these kinds.
func newTable(groups ...Kinds) *Table {
	t := &Table{map[schema.GroupVersionKind]*entry{}, map[schema.GroupVersionKind]*spoke{}}
	for _, g := range groups {
		for _, e := range g.Hubs {
			t.hubs[e.gvk] = e
		}
		for _, s := range g.Versions {
			t.versions[s.gvk] = s
		}
	}
	return t
}

// newTypes returns the types of a cluster. served tells what is served under a kind; nil knows
// nothing. Built-in kinds that it does not know are taken as a server would that serves
// them.
func newTypes(served func(schema.GroupVersionKind) (Resource, bool), table *Table, o Options) *Types {
	if served == nil {
		served = func(schema.GroupVersionKind) (Resource, bool) { return Resource{}, false }
	}
	o = o.withDefaults()
	return &Types{
		served: served, options: o, Table: table,
		later: laterFields{release: o.Release},
	}
}

// Decode reads the JSON of a request's body as an object of that kind: unknown fields are
// treated as s says, then the object is defaulted and normalised (PL-06). The error
// is a status error in the server's words; there may be warnings beside it.
func (t *Types) Decode(data []byte, gvk schema.GroupVersionKind, s Strictness) (obj runtime.Object, warnings []string, err error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	if obj, warnings, err = k.decode(data, gvk, s); err != nil {
		return nil, warnings, err
	}
	return k.defaults(obj), warnings, nil
}

// DecodePatched is [Types.Decode] of what a client's patch made of an object: what a body would
// be refused for with a 400 of its own is a fault of the patch. The error is the server's reason.
func (t *Types) DecodePatched(data []byte, gvk schema.GroupVersionKind, s Strictness) (obj runtime.Object, warnings []string, err error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	if obj, warnings, err = k.decodePatched(data, gvk, s); err != nil {
		return nil, nil, err
	}
	return k.defaults(obj), warnings, nil
}

// Patched reads the JSON that a webhook's patch made of an object of that kind. It is not
// defaulted (W-210 .. W-214); the error's text is what the server says of it.
func (t *Types) Patched(data []byte, gvk schema.GroupVersionKind) (runtime.Object, error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, err
	}
	return k.patched(data, gvk, Ignore)
}

// PatchedStrictly is [Types.Patched] for the patch of a policy, in which fields that a
// built-in kind does not have are errors (W-306).
func (t *Types) PatchedStrictly(data []byte, gvk schema.GroupVersionKind) (runtime.Object, error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, err
	}
	return k.patched(data, gvk, Strict)
}

// Default returns obj with the defaults of its version, and with what a round trip through
// the internal version changes (RT-01).
func (t *Types) Default(obj runtime.Object) runtime.Object {
	k, ok := t.kindFor(obj, schema.GroupVersionKind{})
	if !ok {
		return obj
	}
	return k.defaults(obj.DeepCopyObject())
}

// DefaultVersion returns obj with the defaults of its version only: so the server has an
// object that a webhook or a policy just changed, until it goes through the internal version
// (W-213, W-309).
func (t *Types) DefaultVersion(obj runtime.Object) runtime.Object {
	k, ok := t.kindFor(obj, schema.GroupVersionKind{})
	if !ok {
		return obj
	}
	return k.versionDefaults(obj.DeepCopyObject())
}

// Normalise returns obj as a round trip through the internal version leaves it (RT-01), which
// is what an object of [Types.DefaultVersion] still lacks.
func (t *Types) Normalise(obj runtime.Object) runtime.Object {
	k, ok := t.kindFor(obj, schema.GroupVersionKind{})
	if !ok {
		return obj
	}
	return k.normalised(obj)
}

// Convert returns obj in another version of its kind.
func (t *Types) Convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
	from := obj.GetObjectKind().GroupVersionKind()
	if from == to {
		return obj, nil
	}
	known := from
	if _, isCustom := obj.(*unstructured.Unstructured); isCustom {
		known = to // what a patch made of the kind says nothing
	}
	k, err := t.kind(known)
	if err != nil {
		return nil, err
	}
	return k.convert(obj, to)
}

// PrepareForCreate returns obj as the server changes it before it is created, after the
// mutating admission (PC-01).
func (t *Types) PrepareForCreate(obj runtime.Object, w Write) runtime.Object {
	return t.PrepareCopy(shallow.Copy(obj), w)
}

// PrepareCopy is [Types.PrepareForCreate] of what the caller copied with [shallow.Copy], and
// needs no longer: it may be changed as deep as that.
func (t *Types) PrepareCopy(obj runtime.Object, w Write) runtime.Object {
	return t.kindOf(obj, w).prepareForCreate(obj, w)
}

// PrepareForUpdate returns obj as the server changes it before it replaces old, in the
// same version: what is reset and kept depends on the subresource.
func (t *Types) PrepareForUpdate(obj, old runtime.Object, w Write) runtime.Object {
	return t.kindOf(obj, w).prepareForUpdate(obj.DeepCopyObject(), old, w)
}

// Validate returns what is wrong with an object that is to be created.
func (t *Types) Validate(obj runtime.Object, w Write) field.ErrorList {
	return t.kindOf(obj, w).validate(obj, w)
}

// ValidateUpdate returns what is wrong with an object that is to replace old, which is of
// the same version.
func (t *Types) ValidateUpdate(obj, old runtime.Object, w Write) field.ErrorList {
	return t.kindOf(obj, w).validateUpdate(obj, old, w)
}

// WarningsOnCreate returns what the server warns of in an object that it accepts.
func (t *Types) WarningsOnCreate(obj runtime.Object, w Write) []string {
	return t.kindOf(obj, w).warnings(obj, nil, w)
}

// WarningsOnUpdate is [Types.WarningsOnCreate] for an object that replaces old.
func (t *Types) WarningsOnUpdate(obj, old runtime.Object, w Write) []string {
	return t.kindOf(obj, w).warnings(obj, old, w)
}

// Behaviour tells how writes of that kind differ from the usual.
func (t *Types) Behaviour(gvk schema.GroupVersionKind) Behaviour {
	k, err := t.kind(gvk)
	if err != nil {
		return Behaviour{}
	}
	return k.behaviour()
}

// kindOf is the kind as which an object is written. Objects are made by this package, so
// that their kind is known.
func (t *Types) kindOf(obj runtime.Object, w Write) kind {
	k, ok := t.kindFor(obj, w.Kind)
	if !ok {
		panic(fmt.Sprintf("objects: no kind %v", obj.GetObjectKind().GroupVersionKind()))
	}
	return k
}

// kindFor is the kind of an object that was expected to be of kind expected, where that is
// said. A custom resource may be of a kind that nobody knows, since a patch can change it.
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
		_, ok := k.(*custom)
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
		once := sync.OnceValues(func() (*custom, error) { return newCustom(crd, t.options) })
		compile, _ = t.customs.LoadOrStore(crd, once)
	}
	return compile.(func() (*custom, error))()
}
