package discovery

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func TestFind(t *testing.T) {
	rs := resources(widgets(), crd("deployments", "ships.example.com", "Deployment", apiextensionsv1.ClusterScoped,
		apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true}))
	for _, test := range []struct{ words, want, sub, reason string }{
		{"pods", "pods/v1", "", "the resource"},
		{"pod", "pods/v1", "", "its singular"},
		{"po", "pods/v1", "", "its short name"},
		{"Pod", "pods/v1", "", "its kind"},
		{"PODS", "pods/v1", "", "case does not matter"},
		{"deployments", "deployments.apps/v1", "", "built-ins before custom resources"},
		{"deployments.apps", "deployments.apps/v1", "", "with its group"},
		{"deployments.v1.apps", "deployments.apps/v1", "", "with version and group, as kubectl writes it"},
		{"de.ships", "deployments.ships.example.com/v1", "", "short names of CRDs count, groups may be cut"},
		{"deployments.ships.example.com", "deployments.ships.example.com/v1", "", "a group with dots"},
		{"pods.v1.", "pods/v1", "", "kubectl's notation for the core group"},
		{"pods/v1", "pods/v1", "", "a version after a slash"},
		{"deploy/scale", "deployments.apps/v1", "scale", "a subresource"},
		{"pods/exec", "pods/v1", "exec", "a subresource"},
		{"hpa", "horizontalpodautoscalers.autoscaling/v2", "", "the preferred version (W-109)"},
		{"hpa.v1.autoscaling/status", "horizontalpodautoscalers.autoscaling/v1", "status", "version, group and subresource"},
		{"events", "events/v1", "", "core before events.k8s.io"},
		{"ev.events", "events.events.k8s.io/v1", "", "the start of a group"},
		{"widgets", "widgets.example.com/v1", "", "a CRD's preferred version"},
		{"wi", "widgets.example.com/v1", "", "a CRD's short name"},
		{"widgets.example.com/v1beta1", "widgets.example.com/v1beta1", "", "a CRD's other version"},
		{"widgets.example.com/v1beta1/status", "widgets.example.com/v1beta1", "status", "and its subresource"},
	} {
		got, sub, err := rs.Find(test.words)
		if err != nil || got.name() != test.want || sub != test.sub {
			t.Errorf("Find(%q) = %s, %q, %v, want %s, %q: %s", test.words, got.name(), sub, err, test.want, test.sub, test.reason)
		}
	}
}

func TestFindNothing(t *testing.T) {
	rs := resources(widgets())
	newest := "Kubernetes " + kubeversion.Default().Version
	for _, test := range []struct{ words, want string }{
		{"podz", newest + ` and the cluster's CRDs have no resource "podz"; did you mean "pods"?`},
		{"deploymnets", newest + ` and the cluster's CRDs have no resource "deploymnets"; did you mean "deployments"?`},
		{"wigets", newest + ` and the cluster's CRDs have no resource "wigets"; did you mean "widgets"?`},
		{"deployments.extensions", newest + ` and the cluster's CRDs have no resource "deployments.extensions"; did you mean "deployments.apps/v1"?`},
		{"widgets.example.com/v1alpha1", newest + ` and the cluster's CRDs have no resource "widgets.example.com/v1alpha1"; did you mean "widgets.example.com/v1"?`},
		{"carburettors", newest + ` and the cluster's CRDs have no resource "carburettors"; is its CustomResourceDefinition missing?`},
		{"", newest + ` and the cluster's CRDs have no resource ""; is its CustomResourceDefinition missing?`},
		{"pods/exce", `pods/v1 has no subresource "exce"; did you mean "pods/exec"?`},
		{"deploy/exec", `deployments.apps/v1 has no subresource "exec", only scale, status`},
		{"configmaps/status", `configmaps/v1 has no subresource "status"`},
		{"pods/exec/too", `pods/v1 has no subresource "exec/too", only attach, binding, ephemeralcontainers, eviction, exec, log, portforward, proxy, resize, status`},
	} {
		if _, _, err := rs.Find(test.words); err == nil || err.Error() != test.want {
			t.Errorf("Find(%q) fails with %v, want %s", test.words, err, test.want)
		}
	}
}

// Whatever the input, Find neither panics nor invents a resource.
func FuzzFind(f *testing.F) {
	for _, words := range []string{"pods", "deploy/scale", "widgets.v1.example.com/status", "pods.v1.", "a/v1/b/c", ".", "/", "v1"} {
		f.Add(words)
	}
	rs := resources(widgets())
	f.Fuzz(func(t *testing.T, words string) {
		r, sub, err := rs.Find(words)
		if err != nil {
			return
		}
		if _, ok := rs.Resource(r.GroupVersionResource); !ok || !r.Served {
			t.Errorf("Find(%q) = %v, which is not served", words, r.GroupVersionResource)
		}
		if _, ok := rs.KindFor(r.GroupVersionResource, sub); !ok {
			t.Errorf("Find(%q) has the subresource %q, which %v does not have", words, sub, r.GroupVersionResource)
		}
	})
}

// Every resource is found by its full name.
func TestFindEach(t *testing.T) {
	rs := New(kubeversion.Default(), cluster.New())
	for _, want := range rs.All() {
		if got, _, err := rs.Find(want.name()); err != nil || got.GroupVersionResource != want.GroupVersionResource {
			t.Errorf("Find(%q) = %v, %v", want.name(), got.GroupVersionResource, err)
		}
	}
}
