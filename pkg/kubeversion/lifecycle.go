package kubeversion

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A lifecycle is what some releases warn about a version of some kinds, where that differs from what the newest Go types
// say. The numbers are minor versions.
type lifecycle struct {
	group, version      string
	kinds               []string
	since, until        int                     // the first minor version that says so, and the first that no longer does
	deprecated, removed int                     // 0 for never
	better              schema.GroupVersionKind // without a kind: the same one
}

// lifecycles follows k8s.io/api:*/zz_generated.prerelease-lifecycle.go of each release.
var lifecycles = []lifecycle{
	{"admissionregistration.k8s.io", "v1alpha1", []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}, 26, 32, 0, 0, schema.GroupVersionKind{}},
	{"apiregistration.k8s.io", "v1beta1", []string{"APIService"}, 10, 99, 19, 22,
		schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1"}},
	{"autoscaling", "v2beta1", []string{"HorizontalPodAutoscaler"}, 22, 23, 22, 25,
		schema.GroupVersionKind{Group: "autoscaling", Version: "v2beta2"}},
	{"certificates.k8s.io", "v1alpha1", []string{"ClusterTrustBundle"}, 27, 32, 29, 32, schema.GroupVersionKind{}},
	{"flowcontrol.apiserver.k8s.io", "v1beta1", []string{"FlowSchema", "PriorityLevelConfiguration"}, 23, 26, 23, 26,
		schema.GroupVersionKind{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta2"}},
	{"storage.k8s.io", "v1alpha1", []string{"VolumeAttributesClass"}, 29, 34, 32, 35, schema.GroupVersionKind{}},
}

// Lifecycle returns since when the release warns about a version of a kind, which release it says will remove the version,
// and what is better. deprecated is 0 if it does not warn. ok is false if the newest Go types say the same.
func (r *Release) Lifecycle(gvk schema.GroupVersionKind) (deprecated, removed int, better schema.GroupVersionKind, ok bool) {
	for _, l := range lifecycles {
		if l.group != gvk.Group || l.version != gvk.Version || !slices.Contains(l.kinds, gvk.Kind) || r.Minor < l.since || r.Minor >= l.until {
			continue
		}
		if l.better.Version != "" {
			l.better.Kind = gvk.Kind
		}
		return l.deprecated, l.removed, l.better, true
	}
	return 0, 0, schema.GroupVersionKind{}, false
}
