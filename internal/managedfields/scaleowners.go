package managedfields

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// ScaleOwners holds the owners of the replicas of an object. Its Scale shows them as its own, and a write of the Scale
// changes the owners in the object. The zero value has no owners.
type ScaleOwners struct{ handler *managedfields.ScaleHandler }

// ScaleOwnersOf returns the owners of the replicas of an object that is written through its Scale in a version. paths
// maps versions to the path of the replicas in the object, such as .spec.replicas; the path is empty for versions
// without a Scale.
func ScaleOwnersOf(object metav1.Object, version schema.GroupVersion, paths map[string]string) ScaleOwners {
	mappings := managedfields.ResourcePathMappings{}
	for version, path := range paths {
		mappings[version] = nil
		if path == "" {
			continue
		}
		for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
			mappings[version] = append(mappings[version], fieldpath.PathElement{FieldName: &name})
		}
	}
	return ScaleOwners{managedfields.NewScaleHandler(object.GetManagedFields(), version, mappings)}
}

// Show gives a Scale the owners of the object's replicas.
func (o ScaleOwners) Show(scale metav1.Object) error {
	if o.handler == nil {
		return nil
	}
	owners, err := o.handler.ToSubresource()
	scale.SetManagedFields(owners)
	return err
}

// PutBack gives the object the current owners of its Scale.
func (o ScaleOwners) PutBack(object, scale metav1.Object) error {
	if o.handler == nil {
		return nil
	}
	owners, err := o.handler.ToParent(scale.GetManagedFields())
	object.SetManagedFields(owners)
	return err
}
