package kubeversion

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind that a release offers is known without a look at other releases, and the result is the same.
func TestOffers(t *testing.T) {
	for _, one := range releases {
		r := one.release()
		for kind, first := range firstMinors() {
			if r.offers(kind) && first > r.Minor {
				t.Errorf("%s offers %s, which came with 1.%d", r.Version, kind, first)
			}
		}
	}
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
		{"of nobody", oldest, schema.GroupVersionKind{Group: "shop.example", Version: "v1", Kind: "Gizmo"}, false, true},
	} {
		if offers, registered := tt.release.offers(tt.kind), tt.release.Registers(tt.kind); offers != tt.offers || registered != tt.registered {
			t.Errorf("%s: in %s, %s is offered: %t, registered: %t; want %t, %t", tt.reason, tt.release.Version, tt.kind, offers, registered, tt.offers, tt.registered)
		}
	}
}
