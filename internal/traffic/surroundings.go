package traffic

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// Dependencies returns the dependency graph of the webhooks in a simulated cluster.
func Dependencies(sim *simulator.Simulator) *dependency.Graph {
	state := sim.State()
	for o := range state.All() {
		if m, err := meta.Accessor(o.Object); err == nil && m.GetNamespace() != "" {
			state = withNamespace(state, m.GetNamespace())
		}
	}
	return dependency.New(dependency.Cluster{
		State:      state,
		Static:     sim.Static(),
		Resources:  sim.Resources(),
		Types:      sim.View().Types(),
		Release:    sim.Release(),
		Authorizer: sim.Authorizer(),
	})
}

// Graphs returns the dependency graphs of the webhooks in the loaded world and in the worlds of cases.
func Graphs(maker world.Maker, cases []*world.CaseKey) (all []*dependency.Graph, err error) {
	seen := map[*world.CaseKey]bool{}
	for _, key := range append([]*world.CaseKey{nil}, cases...) {
		if seen[key] {
			continue
		}
		seen[key] = true
		w, err := maker(key, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, Dependencies(w.Simulator()))
	}
	return all, nil
}

// withNamespace returns s with a namespace, which is added if it does not exist.
func withNamespace(s *cluster.State, name string) *cluster.State {
	if _, found := s.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: name}); found {
		return s
	}
	return simulator.AssumeControllers(s.With(cluster.Object{Object: &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}}))
}

// withAccount returns s with the service account that a pod runs as.
func withAccount(s *cluster.State, o runtime.Object) *cluster.State {
	pod, ok := o.(*corev1.Pod)
	if !ok || pod.Spec.ServiceAccountName == "" {
		return s
	}
	key := cluster.Key{GroupKind: schema.GroupKind{Kind: "ServiceAccount"}, Namespace: pod.Namespace, Name: pod.Spec.ServiceAccountName}
	if _, found := s.Find(key); found {
		return s
	}
	return s.With(cluster.Object{Object: &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
	}})
}
