package objects

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/zerotime"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Release is the one whose objects these are.
func (t *Types) Release() *kubeversion.Release { return t.options.Release }

// Encode returns the JSON of obj as the server sends it.
func (t *Types) Encode(obj runtime.Object) ([]byte, error) {
	if t.options.Release.Has(kubeversion.OmitsZeroTimes) {
		return json.Marshal(obj)
	}
	if _, isCustom := obj.(runtime.Unstructured); isCustom {
		return json.Marshal(obj)
	}
	return encodeOld(obj)
}

// encodeOld is Encode of releases before 1.34: the creationTimestamp of a built-in kind is
// null if there is none, in templates too (W-138).
func encodeOld(obj runtime.Object) ([]byte, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	zerotime.AsNull(obj, tree)
	return json.Marshal(tree)
}
