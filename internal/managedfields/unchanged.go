package managedfields

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
)

// Has reports whether anybody owns fields of an object; nil is no object.
func Has(object runtime.Object) bool {
	if object == nil {
		return false
	}
	m, err := meta.Accessor(object)
	return err == nil && len(m.GetManagedFields()) > 0
}

// Unchanged reports whether a write changes nothing, apart from when a field was last owned:
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
