package cluster_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// A state never changes: With returns a new one.
func Example() {
	namespace := schema.GroupKind{Kind: "Namespace"}
	shop := &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
	}
	before := cluster.New()
	after := before.With(cluster.Object{Object: shop, Source: "shop.yaml:1"})

	_, existed := cluster.Get[*corev1.Namespace](before, namespace, "", "shop")
	found, _ := after.Find(cluster.Key{GroupKind: namespace, Name: "shop"})
	fmt.Println(existed, found.Source)
	for o := range after.List(namespace, "") {
		fmt.Println(cluster.KeyOf(o.Object).Name)
	}
	// Output:
	// false shop.yaml:1
	// shop
}
