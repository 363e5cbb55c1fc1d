package objects

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// NewSchemas returns the schemas of a release for server-side apply.
func NewSchemas(r *kubeversion.Release) *managedfields.Schemas {
	return managedfields.NewSchemas(managedfields.Differences{
		MovedIn: func(kind schema.GroupKind) moved.Fields { return moved.New(r.Moved(kind)...) },
		Absent:  r.AbsentFields,
		Devices: !r.Has(kubeversion.OmitsDevices),
	})
}

// MovedIn returns the fields of a kind that the release has in another place than the types.
func (t *Types) MovedIn(kind schema.GroupVersionKind) moved.Fields {
	return t.later.in(t.hubOf(kind).GroupKind()).moved
}
