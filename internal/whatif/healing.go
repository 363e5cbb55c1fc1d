package whatif

import (
	_ "embed"
	"fmt"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
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
	Corpus   traffic.Corpus
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
		Corpus:   traffic.Both(traffic.Written(bag.Requests), traffic.Ready(own)),
		Requests: len(bag.Requests) + len(own),
		objects:  bag.Objects,
	}, nil
}

// ownRequests are those by which the workloads behind webhooks come back.
func ownRequests(graph *dependency.Graph) (all []traffic.Prepared) {
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
				all = append(all, traffic.Prepared{Label: label, Request: step.Request})
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
