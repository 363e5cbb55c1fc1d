package objects

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/unset"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// NewSchemas returns the schemas of a release for server-side apply.
func NewSchemas(r *kubeversion.Release) *managedfields.Schemas {
	return managedfields.NewSchemas(managedfields.Differences{
		MovedIn: func(kind schema.GroupKind) moved.Fields { return moved.New(r.Moved(kind)...) },
		Absent:  r.AbsentFields,
		Former:  r.FormerFields,
		Merged:  func(typeName string) []managedfields.Merging { return mergedIn(r, typeName) },
		Unset: unset.New(slices.DeleteFunc(r.Unset(), func(f struct{ Type, Name, Value string }) bool {
			return f.Name == "creationTimestamp" // see Times
		})...),
		Serves: r.Serves,
		Keys:   !r.Has(kubeversion.KeysMayLack),
		Times:  !r.Has(kubeversion.OmitsZeroTimes),
	})
}

// MovedIn returns the fields of a kind that the release has in another place than the types.
func (t *Types) MovedIn(kind schema.GroupVersionKind) moved.Fields {
	return t.later.in(t.hubOf(kind).GroupKind()).moved
}

// Lost returns which fields of a kind the release has and the Go types do not: former fields, and moved ones at their
// places in the release. typeName is the name of a type in OpenAPI. For the kind of a list, these are the fields of its
// items.
func (t *Types) Lost(kind schema.GroupVersionKind) func(typeName, name string) bool {
	r := t.options.Release
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	moved := r.Moved(t.hubOf(kind).GroupKind())
	return func(typeName, name string) bool {
		return r.HasFormer(typeName, name) || slices.ContainsFunc(moved, func(m kubeversion.MovedField) bool {
			first, _, _ := strings.Cut(m.Was, ".")
			return strings.TrimRight(first, "[]{}") == name
		})
	}
}
