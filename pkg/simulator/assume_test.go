package simulator

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
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
		t.Error("the account that the user wrote was replaced")
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
		t.Error("the state before changed")
	}
	if again := AssumeControllers(after); again != after {
		t.Error("assumed once more, the state is another one")
	}
}
