package kubeversion

import "k8s.io/apimachinery/pkg/runtime/schema"

// A Lifecycle says what a release warns about a version of a kind. The numbers are minor versions, 0 for none.
type Lifecycle struct {
	Deprecated, Removed int
	Replacement         schema.GroupVersionKind
}

// A lifecycleRow is a [Lifecycle] in some releases, in which it differs from what the newest Go types say.
type lifecycleRow struct {
	group, version string
	kinds          []string
	since, until   int // the first minor version that says so, and the first that no longer does
	Lifecycle
}

// lifecycles follows k8s.io/api:*/zz_generated.prerelease-lifecycle.go of each release.
var lifecycles = []lifecycleRow{
	{"admissionregistration.k8s.io", "v1alpha1", []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}, 26, 32, Lifecycle{}},
	{"apiregistration.k8s.io", "v1beta1", []string{"APIService"}, 10, 99, Lifecycle{Deprecated: 19, Removed: 22,
		Replacement: schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"}}},
	{"autoscaling", "v2beta1", []string{"HorizontalPodAutoscaler"}, 22, 23, Lifecycle{Deprecated: 22, Removed: 25,
		Replacement: schema.GroupVersionKind{Group: "autoscaling", Version: "v2beta2", Kind: "HorizontalPodAutoscaler"}}},
	{"certificates.k8s.io", "v1alpha1", []string{"ClusterTrustBundle"}, 27, 32, Lifecycle{Deprecated: 29, Removed: 32}},
	{"flowcontrol.apiserver.k8s.io", "v1beta1", []string{"FlowSchema", "PriorityLevelConfiguration"}, 23, 26, Lifecycle{Deprecated: 23, Removed: 26,
		Replacement: schema.GroupVersionKind{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta2"}}},
	{"storage.k8s.io", "v1alpha1", []string{"VolumeAttributesClass"}, 29, 34, Lifecycle{Deprecated: 32, Removed: 35}},
}

// Lifecycle returns what the release warns about a version of a kind, if that is not what the newest Go types say.
func (r *Release) Lifecycle(gvk schema.GroupVersionKind) (l Lifecycle, ok bool) {
	for _, row := range lifecycles {
		if row.group != gvk.Group || row.version != gvk.Version || r.Minor < row.since || r.Minor >= row.until {
			continue
		}
		for _, kind := range row.kinds {
			if kind != gvk.Kind {
				continue
			}
			if row.Replacement.Version != "" {
				row.Replacement.Kind = kind
			}
			return row.Lifecycle, true
		}
	}
	return Lifecycle{}, false
}
