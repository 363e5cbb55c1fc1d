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

// addCases adds all cases of a suite that are not to be skipped, each once, whatever its
// matrix. Those that find the world of the suite as it is share their key.
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

// A Case is a case of a suite, and what it finds.
type Case struct {
	*scenario.Case
	Key *world.CaseKey
}

// Keys name what the cases find.
func (in Input) Keys() []*world.CaseKey {
	keys := make([]*world.CaseKey, len(in.Cases))
	for i, c := range in.Cases {
		keys[i] = c.Key
	}
	return keys
}

// steps are the requests of all cases.
func (in Input) steps(d scenario.Defaults, expand bool) (all []traffic.Step) {
	for _, c := range in.Cases {
		all = append(all, c.Requests(d, expand)...)
	}
	return all
}

// Requests are those of the case. What the suite leaves open is that of d. With expand, every
// step is followed by the requests of controllers, else those that say so.
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

// following asks for what controllers make of a workload. label is what its author calls the request for it.
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

// ofSuite is what the requests of a suite leave open.
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
