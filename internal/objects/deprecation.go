package objects

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/deprecation"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/removed"
)

// Deprecation is what the server warns of whoever sends a built-in kind in that version;
// empty where there is nothing to say. [DeprecationWarning] is for custom resources.
func (t *Types) Deprecation(gvk schema.GroupVersionKind) string {
	goType := builtin.Type(gvk)
	if goType == nil {
		return ""
	}
	// What a version is said to be is a matter of its type: no object is needed to ask.
	if !deprecation.IsDeprecated(versioned(gvk, reflect.Zero(reflect.PointerTo(goType))), 1, t.options.Release.Minor) {
		return ""
	}
	obj := versioned(gvk, reflect.New(goType))
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return deprecation.WarningMessage(obj)
}

func versioned(gvk schema.GroupVersionKind, v reflect.Value) runtime.Object {
	obj := v.Interface().(runtime.Object)
	if gvk == apiServiceV1beta1 {
		return deprecatedAPIService{Object: obj}
	}
	return obj
}

var apiServiceV1beta1 = removed.APIRegistrationV1beta1.WithKind("APIService")

// A deprecatedAPIService is one of v1beta1. Its type is that of v1 too, and so cannot say that
// it was deprecated: kubernetes/kube-aggregator:pkg/apis/apiregistration/v1beta1.
type deprecatedAPIService struct{ runtime.Object }

func (deprecatedAPIService) APILifecycleDeprecated() (major, minor int) { return 1, 19 }
func (deprecatedAPIService) APILifecycleRemoved() (major, minor int)    { return 1, 22 }
func (deprecatedAPIService) APILifecycleReplacement() schema.GroupVersionKind {
	return removed.APIRegistrationV1.WithKind("APIService")
}
