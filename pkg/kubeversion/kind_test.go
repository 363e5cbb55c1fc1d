package kubeversion

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind that a release offers is known without a look at other releases, and the result is the same.
// No kind is offered again after a release without it: Registers relies on that.
func TestKindsDoNotReturn(t *testing.T) {
	gone := map[schema.GroupVersionKind]string{} // by the releases after those seen
	var later *Release
	for _, one := range releases {
		r := one.release()
		if later != nil {
			for kind := range kindsOf(later) {
				if !r.offers(kind) {
					gone[kind] = r.Version
				}
			}
		}
		for kind := range kindsOf(r) {
			if without, ok := gone[kind]; ok {
				t.Errorf("%s is offered by %s, and again after %s", kind, r.Version, without)
			}
		}
		later = r
	}
}

func kindsOf(r *Release) map[schema.GroupVersionKind]bool {
	kinds := map[schema.GroupVersionKind]bool{}
	for _, resource := range r.offered {
		kinds[resource.GroupVersionKind()] = true
		for _, sub := range resource.Subresources {
			kinds[sub.Kind] = true
		}
	}
	return kinds
}

func TestOffers(t *testing.T) {
	newest, oldest := releases[0].release(), releases[len(releases)-1].release()
	for _, tt := range []struct {
		reason     string
		release    *Release
		kind       schema.GroupVersionKind
		offers     bool
		registered bool
	}{
		{"a resource", newest, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, true, true},
		{"a subresource", newest, schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}, true, true},
		{"no longer served", newest, schema.GroupVersionKind{Group: "extensions", Version: "v1beta1", Kind: "Ingress"}, false, true},
		{"not served yet", oldest, schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"}, false, false},
		{"served up to the release before", release125(), schema.GroupVersionKind{Group: "policy", Version: "v1beta1", Kind: "PodSecurityPolicy"}, false, true},
		{"served since the next release", release127(), schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1beta1", Kind: "ValidatingAdmissionPolicy"}, false, false},
		{"of nobody", oldest, schema.GroupVersionKind{Group: "shop.example", Version: "v1", Kind: "Gizmo"}, false, true},
	} {
		if offers, registered := tt.release.offers(tt.kind), tt.release.Registers(tt.kind); offers != tt.offers || registered != tt.registered {
			t.Errorf("%s: in %s, %s is offered: %t, registered: %t; want %t, %t", tt.reason, tt.release.Version, tt.kind, offers, registered, tt.offers, tt.registered)
		}
	}
}
