package objects

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/deprecation"

	"github.com/admsim/admsim/pkg/builtin"
	"github.com/admsim/admsim/pkg/removed"
)

// Deprecation is what the server warns of whoever sends a built-in kind in that version;
// empty where there is nothing to say. [DeprecationWarning] is for custom resources.
func (t *Types) Deprecation(gvk schema.GroupVersionKind) string {
	obj, ok := builtin.New(gvk)
	if ok && gvk == apiServiceV1beta1 {
		obj = deprecatedAPIService{Object: obj}
	}
	if !ok || !deprecation.IsDeprecated(obj, 1, t.options.Release.Minor) {
		return ""
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return deprecation.WarningMessage(obj)
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
