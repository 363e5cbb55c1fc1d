package objects

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/managedfields"
)

// FieldSchema returns the schema for applying configurations to objects of a kind. The schema of a custom resource is
// built when it is first needed.
func (t *Types) FieldSchema(gvk schema.GroupVersionKind) (managedfields.Schema, error) {
	r, _ := t.served(gvk)
	return t.schemas.Of(r.CRD)
}

// Configured returns obj, which is of that kind, after applying the configuration of a policy (W-307).
func (t *Types) Configured(obj runtime.Object, gvk schema.GroupVersionKind, configuration map[string]any) (runtime.Object, error) {
	s, err := t.FieldSchema(gvk)
	if err != nil {
		return nil, err
	}
	return s.MergeConfiguration(obj, configuration)
}
