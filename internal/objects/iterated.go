package objects

import (
	"errors"
	"strings"
	"sync"

	jsoniter "github.com/json-iterator/go"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// iterator reads JSON as the server did up to 1.22:
// kubernetes/apimachinery@v0.22.17:pkg/runtime/serializer/json/json.go.
var iterator = sync.OnceValue(func() jsoniter.API {
	return jsoniter.Config{EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true, CaseSensitive: true}.Froze()
})

// iteratorError returns the error that the server had up to 1.22 about data that cannot be read (CV-11b). It contains the
// path through the Go structs, and the text around the fault. The structs are today's under the names that they had then, so
// the error is exact as long as their fields have not changed. other is the error of today's decoder.
func iteratorError(data []byte, gvk schema.GroupVersionKind, other error, r *kubeversion.Release) error {
	obj, _ := builtin.New(gvk)
	err := iterator().Unmarshal(data, obj)
	if err == nil {
		return other // about a field that today's structs do not have
	}
	path, place, found := strings.Cut(err.Error(), ", error found in #")
	if path = namesThen(gvk, r).Replace(path); found {
		path += ", error found in #" + place
	}
	return errors.New(path)
}

// namesThen replaces the names of Go types and of their fields by those that the server had at the time.
func namesThen(gvk schema.GroupVersionKind, r *kubeversion.Release) *strings.Replacer {
	names := []string{
		"v1.VolumeResourceRequirements", "v1.ResourceRequirements", "v1.TypedObjectReference", "v1.TypedLocalObjectReference",
		"ProbeHandler", "Handler", "LifecycleHandler", "Handler",
		gvk.Version + ".IngressLoadBalancer", "v1.LoadBalancer", gvk.Version + ".IngressPortStatus", "v1.PortStatus",
	}
	if !r.Has(kubeversion.IngressClassReferences) {
		names = append(names, gvk.Version+".IngressClassParametersReference", "v1.TypedLocalObjectReference")
	}
	if !r.Has(kubeversion.DisruptionsAllowedInGo) {
		names = append(names, ".DisruptionsAllowed", ".PodDisruptionsAllowed")
	}
	if !r.Has(kubeversion.GoNamesLinted) {
		names = append(names, "DoNotUseExternalID", "DoNotUse_ExternalID")
	}
	if gvk.Group == "autoscaling" {
		names = append(names,
			"builtin.ScalerSpecV2beta1", "v2beta1.HorizontalPodAutoscalerSpec", "builtin.ScalerStatusV2beta1", "v2beta1.HorizontalPodAutoscalerStatus",
			"builtin.ScalerV2beta1", "v2beta1.HorizontalPodAutoscaler", "builtin.ScalerStatusV2beta2", "v2beta2.HorizontalPodAutoscalerStatus",
			"builtin.ScalerV2beta2", "v2beta2.HorizontalPodAutoscaler", "v2.", gvk.Version+".")
		for _, meta := range []string{"v1.ObjectMeta", "v1.OwnerReference", "v1.ManagedFieldsEntry", "v1.LabelSelector"} {
			names = append(names, meta, meta)
		}
		names = append(names, "v1.", gvk.Version+".")
	}
	return strings.NewReplacer(append(names, "builtin.", gvk.Version+".")...)
}
