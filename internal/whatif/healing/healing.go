// Package healing provides the requests that a cluster needs to heal: those of kubelets, controllers and the scheduler,
// and those that bring back the pods behind webhooks. No webhook should be able to prevent them.
package healing

import (
	_ "embed"
	"fmt"
	"testing/fstest"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
)

//go:embed healing.yaml
var text []byte

// Text returns the built-in part, as YAML.
func Text() []byte { return text }

// Needs holds the requests of the cluster's own components, and those that bring back the pods behind its webhooks.
type Needs struct {
	Corpus  traffic.Corpus
	Objects []scenario.Manifest // that the requests need
}

// Of returns what a cluster with these webhooks needs.
func Of(graph *dependency.Graph) (*Needs, error) {
	const file = "healing.yaml"
	o := scenario.Options{FS: fstest.MapFS{file: {Data: text}}}
	found, err := scenario.Load([]string{file}, o)
	if err != nil {
		return nil, err
	}
	bag, err := scenario.Sort(found, o)
	if err != nil {
		return nil, err
	}
	for i := range bag.Requests {
		bag.Requests[i].Source = scenario.Source{} // not a file of the user's
	}
	return &Needs{
		Corpus:  traffic.Both(traffic.Written(bag.Requests), traffic.Ready(recoveries(graph))),
		Objects: bag.Objects,
	}, nil
}

// recoveries returns the requests that bring back the workloads behind webhooks.
func recoveries(graph *dependency.Graph) (all []traffic.Prepared) {
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
