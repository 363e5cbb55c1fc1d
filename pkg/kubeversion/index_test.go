package kubeversion

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestEquivalents(t *testing.T) {
	withBetas, err := release136().With(Flags{
		FeatureGates:  map[string]bool{"ClusterTrustBundle": true},
		RuntimeConfig: map[string]bool{"api/alpha": true, "api/beta": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	old, err := Parse("1.30")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		release             *Release
		resource, sub, want string
		reason              string
	}{
		{Default(), "autoscaling/v1 horizontalpodautoscalers", "", "autoscaling/v2 horizontalpodautoscalers, autoscaling/v1 horizontalpodautoscalers", "v2 has priority (W-109)"},
		{Default(), "autoscaling/v2 horizontalpodautoscalers", "status", "autoscaling/v2 horizontalpodautoscalers, autoscaling/v1 horizontalpodautoscalers", "per subresource (EQ-02)"},
		{Default(), "events.k8s.io/v1 events", "", "v1 events, events.k8s.io/v1 events", "core first, across groups (W-107)"},
		{Default(), "apps/v1 deployments", "scale", "apps/v1 deployments", "one version only (W-108)"},
		{Default(), "apps/v1 deployments", "approval", "", "no such subresource"},
		{Default(), "certificates.k8s.io/v1beta1 clustertrustbundles", "", "", "not served by default"},
		{withBetas, "certificates.k8s.io/v1alpha1 clustertrustbundles", "", "certificates.k8s.io/v1beta1 clustertrustbundles, certificates.k8s.io/v1alpha1 clustertrustbundles", "served on request (EQ-01)"},
		{withBetas, "resource.k8s.io/v1beta1 resourceclaims", "status", "resource.k8s.io/v1 resourceclaims, resource.k8s.io/v1beta2 resourceclaims, resource.k8s.io/v1beta1 resourceclaims", "versions in order of preference"},
		{release115(), "v1 replicationcontrollers", "scale", "v1 replicationcontrollers, extensions/v1beta1 replicationcontrollers", "its parent has no verbs (PL-24c)"},
		{old, "flowcontrol.apiserver.k8s.io/v1beta3 flowschemas", "", "flowcontrol.apiserver.k8s.io/v1 flowschemas, flowcontrol.apiserver.k8s.io/v1beta3 flowschemas", "on by default until 1.31"},
	} {
		gv, resource, _ := strings.Cut(test.resource, " ")
		var got []string
		for _, r := range test.release.Equivalents(mustGroupVersion(gv).WithResource(resource), test.sub) {
			got = append(got, r.GroupVersion().String()+" "+r.Resource)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("Equivalents(%s, %q) of %s, %s (-want +got):\n%s", test.resource, test.sub, test.release.Version, test.reason, diff)
		}
	}
}

func TestLookups(t *testing.T) {
	for _, want := range Default().Resources {
		if got, ok := Default().Resource(want.GroupVersionResource()); !ok || got.Kind != want.Kind {
			t.Errorf("Resource(%v) = %v, %v", want.GroupVersionResource(), got.Kind, ok)
		}
		if got, ok := Default().ForKind(want.GroupVersionKind()); !ok || got.Resource != want.Resource {
			t.Errorf("ForKind(%v) = %v, %v", want.GroupVersionKind(), got.Resource, ok)
		}
	}
	if r, ok := Default().ForKind(schema.GroupVersionKind{Version: "v1", Kind: "Widget"}); ok {
		t.Errorf("ForKind(v1 Widget) = %v, want none", r)
	}
}
