package whatif

import (
	_ "embed"
	"fmt"
	"testing/fstest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

//go:embed healing.yaml
var healing []byte

// HealingText is the built-in corpus of what a cluster needs to heal, as YAML.
func HealingText() []byte { return healing }

// Healing is what a cluster needs to heal: the requests of its own components, and those by
// which the pods behind its webhooks come back.
type Healing struct {
	Corpus   Corpus
	Requests int
	objects  []scenario.Manifest // that the requests need
}

// NewHealing returns the corpus for a cluster with these webhooks.
func NewHealing(graph *dependency.Graph) (*Healing, error) {
	const file = "healing.yaml"
	o := scenario.Options{FS: fstest.MapFS{file: {Data: healing}}}
	found, err := scenario.Load([]string{file}, o)
	if err != nil {
		return nil, err
	}
	bag, err := scenario.Sort(found, o)
	if err != nil {
		return nil, err
	}
	for i := range bag.Requests {
		bag.Requests[i].Source = scenario.Source{} // no file of the user's
	}
	own := ownRequests(graph)
	return &Healing{
		Corpus:   Both(Written(bag.Requests), &prepared{own}),
		Requests: len(bag.Requests) + len(own),
		objects:  bag.Objects,
	}, nil
}

type prepared struct{ rest []Prepared }

func (p *prepared) Next() (Request, error) {
	if len(p.rest) == 0 {
		return (&written{}).Next()
	}
	next := &p.rest[0]
	p.rest = p.rest[1:]
	return Request{Prepared: next}, nil
}

// ownRequests are those by which the workloads behind webhooks come back.
func ownRequests(graph *dependency.Graph) (all []Prepared) {
	seen := map[*dependency.Backend]bool{}
	for _, w := range graph.Webhooks() {
		b := graph.Backend(w)
		if b == nil || seen[b] {
			continue
		}
		seen[b] = true
		for _, workload := range b.Workloads {
			for _, step := range b.Recovery(workload) {
				label := fmt.Sprintf("%s, for %s behind %s", step.What, workload, b)
				all = append(all, Prepared{label, step.Request})
			}
		}
	}
	return all
}

// in returns the simulator of a cluster that has what the requests need, beside what is
// there already.
func (h *Healing) in(sim *simulator.Simulator) (*simulator.Simulator, error) {
	state := sim.State()
	for _, m := range h.objects {
		object, err := sim.Stored(m.JSON)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m, err)
		}
		if m, err := meta.Accessor(object); err == nil {
			m.SetUID(types.UID("healing-" + m.GetName())) // as whatever is stored has one
			m.SetResourceVersion("1")
		}
		if _, found := state.Find(cluster.KeyOf(object)); !found {
			state = state.With(cluster.Object{Object: object})
		}
	}
	return sim.With(state)
}

// Dependencies is the graph of the webhooks of a simulated cluster.
func Dependencies(sim *simulator.Simulator) *dependency.Graph {
	state := sim.State()
	for o := range state.All() {
		if m, err := meta.Accessor(o.Object); err == nil && m.GetNamespace() != "" {
			state = withNamespace(state, m.GetNamespace())
		}
	}
	return dependency.New(dependency.Cluster{
		State:      state,
		Resources:  sim.Resources(),
		Types:      sim.View().Types(),
		Release:    sim.Release(),
		Authorizer: sim.Authorizer(),
	})
}

// withNamespace is s with a namespace that something is in.
func withNamespace(s *cluster.State, name string) *cluster.State {
	if _, found := s.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: name}); found {
		return s
	}
	return simulator.AssumeControllers(s.With(cluster.Object{Object: &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}}))
}

// withAccount is s with the account that a pod runs as.
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
