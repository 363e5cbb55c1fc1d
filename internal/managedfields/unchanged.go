package managedfields

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
)

// Has reports whether an object has any owners. A nil object has none.
func Has(object runtime.Object) bool {
	if object == nil {
		return false
	}
	m, err := meta.Accessor(object)
	return err == nil && len(m.GetManagedFields()) > 0
}

// Unchanged reports whether a write changes nothing but the times in managedFields:
// kubernetes/apimachinery:pkg/util/managedfields/..., IgnoreManagedFieldsTimestampsTransformer.
func Unchanged(object, current runtime.Object) bool {
	return semantic.DeepEqual(withoutTimes(object), withoutTimes(current))
}

// UnchangedButOwners reports whether a write changes nothing but managedFields.
func UnchangedButOwners(object, current runtime.Object) bool {
	return semantic.DeepEqual(WithoutOwners(object), WithoutOwners(current))
}

func withoutTimes(object runtime.Object) runtime.Object {
	if !Has(object) {
		return object
	}
	object = cluster.ShallowCopy(object)
	m, err := meta.Accessor(object)
	if err != nil {
		return object
	}
	entries := slices.Clone(m.GetManagedFields())
	for i := range entries {
		entries[i].Time = nil
	}
	m.SetManagedFields(entries)
	return object
}
