package change

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// What leaks for the first time is free after the third round. What leaks again is free after the next round, unless a
// service had it in a round in between (PL-21f).
func TestLeakedAgain(t *testing.T) {
	release, err := kubeversion.Parse("1.22")
	if err != nil {
		t.Fatal(err)
	}
	service := &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{NodePort: 30007, Protocol: corev1.ProtocolTCP}}},
	}
	s, leaks := cluster.New(), Leaks(nil)
	round := func() {
		s, _, leaks = Repair{Ports: true, Release: release, Leaks: leaks}.Do(s, s)
	}
	for _, test := range []struct {
		reason string
		before func()
		want   int // rounds until the port is free
	}{
		{"for the first time", func() {}, 3},
		{"again", func() {}, 1},
		{"after a service had it", func() {
			s = s.With(cluster.Object{Object: service})
			round()
			s = s.Without(cluster.KeyOf(service))
		}, 3},
	} {
		test.before()
		s = Leak(s, service)
		rounds := 0
		for ; rounds < 10 && len(differencesIn(s).leaked) > 0; rounds++ {
			round()
		}
		if rounds != test.want {
			t.Errorf("leaked %s: free after %d rounds, want %d", test.reason, rounds, test.want)
		}
	}
}
