package bootstrap_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A server that starts has an APIService for each group version that it serves, with the priorities of its release.
func TestAPIServices(t *testing.T) {
	for version, want := range map[string]map[string]int32{
		"1.37": {"v1.": 18000, "v1.apps": 17800, "v1.apiregistration.k8s.io": 0, "v1beta1.policy": 0},
		"1.20": {"v1.": 18000, "v1beta1.extensions": 17150, "v1beta1.policy": 17100},
		"1.15": {"v1beta1.extensions": 17900, "v1beta2.apps": 17800, "v1alpha1.settings.k8s.io": 0},
	} {
		r, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		s := bootstrap.WithAddress(bootstrap.State(r), r, bootstrap.Address{})
		for name, priority := range want {
			found, ok := cluster.Get[*builtin.APIService](s, schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}, "", name)
			if ok != (priority > 0) || ok && (found.Spec.GroupPriorityMinimum != priority || found.Labels[bootstrap.AutoManaged] != "onstart") {
				t.Errorf("%s: %s: %v, want the priority %d", version, name, found, priority)
			}
		}
	}
}
