package objects

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/managedfields"
)

// FieldSchema returns the schema by which configurations are applied to objects of a kind. That of a custom
// resource is made when it is first asked for.
func (t *Types) FieldSchema(gvk schema.GroupVersionKind) (*managedfields.Schema, error) {
	r, _ := t.served(gvk)
	return t.schemas.Of(r.CRD)
}

// Configured returns obj, which is of that kind, as the configuration that a policy applies leaves it (W-307).
func (t *Types) Configured(obj runtime.Object, gvk schema.GroupVersionKind, configuration map[string]any) (runtime.Object, error) {
	s, err := t.FieldSchema(gvk)
	if err != nil {
		return nil, err
	}
	return s.MergeConfiguration(obj, configuration)
}
