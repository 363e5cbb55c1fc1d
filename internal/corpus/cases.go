package corpus

import (
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/client"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/workload"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// addCases adds all cases of a suite that are not skipped, each once, whatever the matrix of the suite. Cases that use
// the world of the suite unchanged share a key.
func (in *Input) addCases(s *scenario.Suite) {
	var shared *world.CaseKey
	for i := range s.Cases {
		c := &s.Cases[i]
		key := &world.CaseKey{Suite: s, Case: c}
		switch {
		case c.Skip != "":
			continue
		case c.Override.Empty() && shared == nil:
			shared = key
		case c.Override.Empty():
			key = shared
		}
		in.Cases = append(in.Cases, Case{c, key})
	}
}

// A Case is a case of a suite, with the key of its world.
type Case struct {
	*scenario.Case
	Key *world.CaseKey
}

// Keys returns the keys of the worlds of the cases.
func (in Input) Keys() []*world.CaseKey {
	keys := make([]*world.CaseKey, len(in.Cases))
	for i, c := range in.Cases {
		keys[i] = c.Key
	}
	return keys
}

// steps returns the requests of all cases.
func (in Input) steps(d scenario.Defaults, expand bool) (all []traffic.Step) {
	for _, c := range in.Cases {
		all = append(all, c.Requests(d, expand)...)
	}
	return all
}

// Requests returns the requests of the case. d fills in what the suite leaves open. With expand, every step is followed
// by the requests of controllers; otherwise only the steps that ask for it are.
func (c Case) Requests(d scenario.Defaults, expand bool) (all []traffic.Step) {
	d = ofSuite(c.Key.Suite, d)
	for i, step := range c.Steps {
		if step.Every != nil { // a region, not a request
			continue
		}
		label := c.Key.Suite.Name + "/" + c.Name
		switch {
		case step.Name != "":
			label += ": " + step.Name
		case len(c.Steps) > 1:
			label += fmt.Sprintf(": step %d", i+1)
		}
		one := traffic.Step{Key: c.Key, Begins: len(all) == 0, Source: step.Source, Ask: asking(step, label, d)}
		if expand || step.Expand {
			one.Next = following(label)
		}
		all = append(all, one)
	}
	return all
}

func asking(step scenario.CaseStep, label string, d scenario.Defaults) func(*world.World, *simulator.Simulator) (world.Asked, error) {
	return func(w *world.World, sim *simulator.Simulator) (world.Asked, error) {
		asked, err := client.Ask(w, sim, step, d)
		asked.From.Label = label
		return asked, err
	}
}

// following returns the requests that controllers send for a workload. label is the label of the request for the
// workload.
func following(label string) func(world.Asked, *simulator.Result) (*world.Asked, error) {
	if label != "" {
		label += ": "
	}
	return func(parent world.Asked, answer *simulator.Result) (*world.Asked, error) {
		child, err := workload.Next(answer)
		if child == nil {
			return nil, err
		}
		asked := parent.Then(label+child.String(), child.Request, answer)
		return &asked, nil
	}
}

// ofSuite returns the defaults for the requests of a suite.
func ofSuite(s *scenario.Suite, d scenario.Defaults) scenario.Defaults {
	own := s.Defaults
	if own.User.Username == "" {
		own.User = d.User
	}
	if own.Namespace == "" {
		own.Namespace = d.Namespace
	}
	return own
}
