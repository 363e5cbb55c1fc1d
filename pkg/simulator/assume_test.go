package simulator

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func namespace(name string, change func(*corev1.Namespace)) cluster.Object {
	ns := &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	if change != nil {
		change(ns)
	}
	return cluster.Object{Object: ns, Source: name + ".yaml:1"}
}

func keys(s *cluster.State) (all []string) {
	for o := range s.All() {
		k := cluster.KeyOf(o.Object)
		all = append(all, k.Kind+" "+k.Namespace+"/"+k.Name)
	}
	return all
}

func TestAssumeControllers(t *testing.T) {
	own := &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default", UID: "mine"},
	}
	before := cluster.New(
		namespace("shop", func(ns *corev1.Namespace) { ns.Labels = map[string]string{"team": "a"} }),
		namespace("going", func(ns *corev1.Namespace) { ns.Status.Phase = corev1.NamespaceTerminating }),
		cluster.Object{Object: own, Source: "shop.yaml:7"},
	)
	beforeKeys := keys(before)
	after := AssumeControllers(before)

	want := []string{"ConfigMap shop/kube-root-ca.crt", "Namespace /going", "Namespace /shop", "ServiceAccount shop/default"}
	if diff := cmp.Diff(want, keys(after)); diff != "" {
		t.Errorf("objects after (-want +got):\n%s", diff)
	}
	if got, _ := after.Find(cluster.KeyOf(own)); got.Object != own {
		t.Error("the user's account was replaced")
	}
	ns, _ := after.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: "shop"})
	got := ns.Object.(*corev1.Namespace)
	labels := map[string]string{"team": "a", "kubernetes.io/metadata.name": "shop"}
	if diff := cmp.Diff(labels, got.Labels); diff != "" || got.Status.Phase != corev1.NamespaceActive || ns.Source != "shop.yaml:1" {
		t.Errorf("namespace shop is %s, from %s; labels (-want +got):\n%s", got.Status.Phase, ns.Source, diff)
	}
	going, _ := cluster.Get[*corev1.Namespace](after, schema.GroupKind{Kind: "Namespace"}, "", "going")
	if going.Status.Phase != corev1.NamespaceTerminating {
		t.Errorf("namespace going is %s", going.Status.Phase)
	}

	if !slices.Equal(beforeKeys, keys(before)) {
		t.Error("the original state changed")
	}
	if again := AssumeControllers(after); again != after {
		t.Error("AssumeControllers changed a state that it returned")
	}
}

// What clusters have in each namespace depends on the release.
func TestAssumeControllersOfRelease(t *testing.T) {
	for _, test := range []struct {
		version                        string
		labelled, published, described bool
	}{{"1.37", true, true, true}, {"1.21", true, true, false}, {"1.20", false, true, false}, {"1.19", false, false, false}} {
		release, err := kubeversion.Parse(test.version)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := New(Options{Release: release, State: bootstrap.State(release).With(namespace("shop", nil))})
		if err != nil {
			t.Fatal(err)
		}
		if sim, err = sim.AssumeControllers(); err != nil {
			t.Fatal(err)
		}
		shop, _ := cluster.Get[*corev1.Namespace](sim.State(), schema.GroupKind{Kind: "Namespace"}, "", "shop")
		if labelled := shop.Labels[corev1.LabelMetadataName] == "shop"; labelled != test.labelled {
			t.Errorf("%s: the namespace has a label with its name: %v", test.version, labelled)
		}
		certificate, published := cluster.Get[*corev1.ConfigMap](sim.State(), schema.GroupKind{Kind: "ConfigMap"}, "shop", RootCA)
		if described := published && len(certificate.Annotations) > 0; published != test.published || described != test.described {
			t.Errorf("%s: the certificate is published: %v, and described: %v", test.version, published, described)
		}
	}
}

// A quota that its author gave no status is counted, so that it limits what its spec says.
func TestAssumeControllersCounts(t *testing.T) {
	quota := &corev1.ResourceQuota{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ResourceQuota"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "q"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"configmaps": resource.MustParse("2")}},
	}
	sim, err := New(Options{State: cluster.New(namespace("shop", nil), cluster.Object{Object: quota, Source: "shop.yaml:3"})})
	if err != nil {
		t.Fatal(err)
	}
	if sim, err = sim.AssumeControllers(); err != nil {
		t.Fatal(err)
	}
	got, _ := sim.State().Find(cluster.KeyOf(quota))
	status := got.Object.(*corev1.ResourceQuota).Status
	if used := status.Used["configmaps"]; used.Value() != 1 || len(status.Hard) != 1 || got.Source != "shop.yaml:3" {
		t.Errorf("%s has the status %v, want the one assumed ConfigMap counted", got.Source, status)
	}
}
