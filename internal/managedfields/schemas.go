package managedfields

import (
	"iter"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/unset"
)

// Schemas holds the schemas of built-in kinds and custom resources, each built when it is first needed. It may be used
// concurrently. A changed definition counts as a different one; see [Schemas.Keep].
type Schemas struct {
	builtIn func() Schema
	compile func(*apiextensionsv1.CustomResourceDefinition) (Schema, error)
	made    memo.Map // *apiextensionsv1.CustomResourceDefinition → func() (Schema, error)
}

// Differences say how the built-in types of a release differ from the Go types.
type Differences struct {
	MovedIn func(schema.GroupKind) moved.Fields    // the fields of a kind that are in another place
	Absent  func(typeName string) (names []string) // the fields of a type that the release does not have
	Former  func(typeName string) (names []string) // the fields of a type that only the release has
	Merged  func(typeName string) []Merging        // what the release merges otherwise (PL-07a)
	Unset   *unset.Fields                          // the fields that objects have although they are not set (W-138)
	Serves  func(schema.GroupVersion) bool         // whether the release has a version
	Keys    bool                                   // the items of a list need all keys that have no default
	Times   bool                                   // metadata have a null creationTimestamp if it is not set (W-138)
}

// A Merging says how a release merges the values of a type, or of its field with that name: atomic, granular, set, or as a
// list with these keys, which are separated by commas. In a kind that no longer exists, the field is a path, such as
// status.devices[].conditions, and How may be the name of its type.
type Merging struct{ Field, How string }

func (d Differences) any() bool {
	return d.Unset != nil || d.Times ||
		slices.ContainsFunc(builtin.Kinds(), func(kind schema.GroupVersionKind) bool { return !d.MovedIn(kind.GroupKind()).None() }) ||
		slices.ContainsFunc(builtInTypes, func(t smdschema.TypeDef) bool { return len(d.Absent(t.Name)) > 0 })
}

// NewSchemas returns the schemas of a release.
func NewSchemas(d Differences) *Schemas {
	types := sync.OnceValue(func() *fieldSchema {
		if d.any() {
			return builtInOf(d)
		}
		return builtIn()
	})
	shared := sync.OnceValue(func() []smdschema.TypeDef { return sharedTypes(types().types.Schema.Types) })
	return &Schemas{
		builtIn: func() Schema { return types() },
		compile: func(crd *apiextensionsv1.CustomResourceDefinition) (Schema, error) {
			return custom(crd, shared(), d.Keys)
		},
	}
}

// Keep returns the schemas for a cluster with these definitions: s itself, or a new Schemas without the schemas of
// other definitions.
func (s *Schemas) Keep(crds iter.Seq[*apiextensionsv1.CustomResourceDefinition]) *Schemas {
	present := map[any]bool{}
	for crd := range crds {
		present[crd] = true
	}
	kept, all := &Schemas{builtIn: s.builtIn, compile: s.compile}, true
	s.made.Range(func(crd, made any) bool {
		if present[crd] {
			kept.made.Store(crd, made)
		} else {
			all = false
		}
		return true
	})
	if all {
		return s
	}
	return kept
}

// Of returns the schema of the custom resource that crd defines, or the schema of the built-in kinds if crd is nil.
func (s *Schemas) Of(crd *apiextensionsv1.CustomResourceDefinition) (Schema, error) {
	if crd == nil {
		return s.builtIn(), nil
	}
	read, known := s.made.Load(crd)
	if !known {
		read, _ = s.made.LoadOrStore(crd, sync.OnceValues(func() (Schema, error) { return s.compile(crd) }))
	}
	return read.(func() (Schema, error))()
}
