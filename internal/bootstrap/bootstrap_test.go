package bootstrap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/objects/scheduling"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func release(t *testing.T, version string, gates map[string]bool) *kubeversion.Release {
	t.Helper()
	r, err := kubeversion.Parse(version)
	if err == nil && gates != nil {
		r, err = r.With(kubeversion.Flags{FeatureGates: gates})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var clusterRoles = schema.GroupKind{Group: rbacv1.GroupName, Kind: "ClusterRole"}

func role(t *testing.T, s *cluster.State, name string) *rbacv1.ClusterRole {
	t.Helper()
	r, ok := cluster.Get[*rbacv1.ClusterRole](s, clusterRoles, "", name)
	if !ok {
		t.Fatalf("ClusterRole %s is missing", name)
	}
	return r
}

// Roles depend on the release and its feature gates. That the table matches Kubernetes is checked where it is
// generated, in internal/release/roles.
func TestReleases(t *testing.T) {
	for _, tt := range []struct {
		version string
		gates   map[string]bool
		role    string
		want    bool
	}{
		{"1.37", nil, "system:controller:device-taint-eviction-controller", true},
		{"1.37", map[string]bool{"DRADeviceTaints": false, "DRADeviceTaintRules": false}, "system:controller:device-taint-eviction-controller", false},
		{"1.32", nil, "system:controller:device-taint-eviction-controller", false},
		{"1.15", nil, "system:csi-external-attacher", true},
		{"1.37", nil, "system:csi-external-attacher", false},
		{"1.37", map[string]bool{"ClusterTrustBundle": true}, "system:cluster-trust-bundle-discovery", true},
		{"1.37", nil, "system:basic-user", true},
	} {
		s := bootstrap.State(release(t, tt.version, tt.gates))
		if _, got := s.Find(cluster.Key{GroupKind: clusterRoles, Name: tt.role}); got != tt.want {
			t.Errorf("%s of %s with %v: %v, want %v", tt.role, tt.version, tt.gates, got, tt.want)
		}
	}
}

// Every release has roles and bindings of all kinds, each with the metadata of a stored object.
func TestComplete(t *testing.T) {
	for _, version := range kubeversion.Versions() {
		s := bootstrap.State(release(t, version, nil))
		for _, kind := range bootstrap.Kinds() {
			n := 0
			for o := range s.List(schema.GroupKind{Group: rbacv1.GroupName, Kind: kind}, "") {
				n++
				m, ok := o.Object.(metav1.Object)
				if !ok || m.GetUID() == "" || m.GetResourceVersion() == "" || m.GetLabels()["kubernetes.io/bootstrapping"] != "rbac-defaults" {
					t.Errorf("%s: %s %v is not complete", version, kind, o.Object)
				}
			}
			if n == 0 {
				t.Errorf("%s has no %s", version, kind)
			}
		}
	}
}

func rules(r *rbacv1.ClusterRole) (found []string) {
	for _, rule := range r.Rules {
		found = append(found, strings.Join(rule.Verbs, ",")+" "+strings.Join(rule.Resources, ","))
	}
	return found
}

func world(name string, change func(*rbacv1.ClusterRole)) cluster.Object {
	r := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	r.SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind("ClusterRole"))
	change(r)
	return cluster.Object{Object: r}
}

var widgets = []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{"shop.example"}, Resources: []string{"widgets"}}}

// The controller of aggregated roles fills view, edit and admin, each with the rules of the previous one, and includes
// the roles of the world that have its labels (AU-10).
func TestAggregated(t *testing.T) {
	s := bootstrap.State(kubeversion.Default())
	if got := rules(role(t, s, "view")); got != nil {
		t.Errorf("before any controller ran, view has the rules %v", got)
	}
	s = bootstrap.Aggregated(s.With(
		world("widgets", func(r *rbacv1.ClusterRole) {
			r.Rules = widgets
			r.Labels["rbac.authorization.k8s.io/aggregate-to-view"] = "true"
			r.Labels["shop"] = "yes"
		}),
		world("shop", func(r *rbacv1.ClusterRole) {
			r.AggregationRule = &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{"shop": "yes"}}}}
		}),
		world("snapshot", func(r *rbacv1.ClusterRole) {
			r.AggregationRule = &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{"shop": "yes"}}}}
			r.Rules = []rbacv1.PolicyRule{{Verbs: []string{"list"}, Resources: []string{"gone"}}}
		}),
	))
	for _, name := range []string{"view", "edit", "admin", "shop"} {
		if got := rules(role(t, s, name)); !slices.Contains(got, "get widgets") {
			t.Errorf("%s has the rules %v, want get widgets among them", name, got)
		}
	}
	if got := rules(role(t, s, "admin")); !slices.Contains(got, "impersonate serviceaccounts") || !slices.Contains(got, "create localsubjectaccessreviews") {
		t.Errorf("admin has the rules %v, want those of edit and its own", got)
	}
	if got := rules(role(t, s, "edit")); slices.Contains(got, "create localsubjectaccessreviews") {
		t.Errorf("edit has the rules %v, not those of admin", got)
	}
	if diff := cmp.Diff([]string{"list gone"}, rules(role(t, s, "snapshot"))); diff != "" {
		t.Errorf("a role that has rules keeps them: (-want +got)\n%s", diff)
	}
}

// A world may replace and delete the objects that exist from the start.
func TestOverridden(t *testing.T) {
	s := bootstrap.Aggregated(bootstrap.State(kubeversion.Default()).
		With(world("view", func(r *rbacv1.ClusterRole) { r.Rules = widgets })).
		Without(cluster.Key{GroupKind: clusterRoles, Name: "edit"}))
	if diff := cmp.Diff([]string{"get widgets"}, rules(role(t, s, "view"))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, ok := s.Find(cluster.Key{GroupKind: clusterRoles, Name: "edit"}); ok {
		t.Error("edit is still there")
	}
}

func TestParseTable(t *testing.T) {
	for _, text := range []string{"Secret x", "\tmay get core pods", "ClusterRole", "ClusterRoleBinding x", "ClusterRole x\n\tmay get", "ClusterRole x\n\tdance a b c", "ClusterRole x @a"} {
		if _, err := bootstrap.ParseTable(text); err == nil {
			t.Errorf("ParseTable(%q) has no error", text)
		}
	}
}

func BenchmarkState(b *testing.B) {
	for b.Loop() {
		bootstrap.State(kubeversion.Default())
	}
}

func BenchmarkRoles(b *testing.B) {
	for b.Loop() {
		s := bootstrap.Aggregated(bootstrap.State(kubeversion.Default()))
		for range s.All() {
		}
	}
}

// The server's own priority classes have the values that the validation of the kind expects.
func TestPriorityClasses(t *testing.T) {
	n := 0
	for o := range bootstrap.State(kubeversion.Default()).List(schema.GroupKind{Group: schedulingv1.GroupName, Kind: "PriorityClass"}, "") {
		class := o.Object.(*schedulingv1.PriorityClass)
		if want, ok := scheduling.SystemPriority(class.Name); !ok || class.Value != want {
			t.Errorf("%s has the value %d, want %d", class.Name, class.Value, want)
		}
		n++
	}
	if n != 2 {
		t.Errorf("got %d classes, want 2", n)
	}
}
