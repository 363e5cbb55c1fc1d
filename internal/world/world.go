// Package world makes a scenario run: it joins the files that were loaded with a simulator,
// and answers the requests of the scenario.
//
// Start with [New], then [World.Ask] for each request, and [Asked.Answer] or
// [Asked.Explain]. Every command that runs requests comes through here, so that the same
// files have the same answers wherever they are used.
//
// The package parses nothing, which is for package scenario, and does not know how an
// answer is shown.
package world

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options say what a world is made of beside its manifests. The zero value is a server of
// the default release in which every webhook is an error and no controller ever ran.
type Options struct {
	Release *kubeversion.Release // nil: the default one
	Plugins simulator.Plugins

	// Backends returns who answers for a webhook. Nil: nobody.
	Backends func(configuration, webhook string) dispatch.Backend

	// Unexplained leaves the webhooks that are not called, and why, out of the trace. A
	// request then costs no more for webhooks that it has nothing to do with.
	Unexplained bool

	// Controllers has everything there that the controllers of a living cluster would have
	// made: [simulator.Simulator.AssumeControllers].
	Controllers bool

	// Variables has traces hold the values of all variables of policies.
	Variables bool

	// IgnoreUnknown makes kinds and fields that the cluster does not know warnings.
	IgnoreUnknown bool

	// Incomplete means that manifests are missing: see [scenario.ClusterOptions].
	Incomplete bool

	// Expressions are compiled by it. Nil: by a compiler of the world's own.
	Expressions *expression.Compiler

	// Unchecked leaves out the warnings about fields in policies that no kind has, which take
	// longer to find than all else.
	Unchecked bool

	// Authorization is how requests are authorized before admission. Without modes, all are allowed.
	Authorization scenario.Authorization

	// Start is the moment at which the simulated clock stands. Zero: a fixed one.
	Start time.Time

	// Now and NewUID are the clock and the source of uids of a cluster that lives. Nil: the clock stands
	// still, and uids count up.
	Now    func() time.Time
	NewUID func() types.UID
}

// start is the moment at which the simulated clock stands; nothing depends on it but
// timestamps.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A World is a cluster made of manifests, ready for requests. It never changes: what a
// request changes is in the simulator of its answer.
type World struct {
	sim     *simulator.Simulator
	reading scenario.ClusterOptions
}

// New returns the world of which these manifests are the cluster. What the server makes
// for itself is there before them. Warnings are what the server would warn of, and what
// else their author may want to know. The error may be a [scenario.Errors].
func New(objects []scenario.Manifest, o Options) (*World, []*scenario.Error, error) {
	if o.Start.IsZero() {
		o.Start = start
	}
	now, newUID := o.Now, o.NewUID
	if now == nil {
		now = func() time.Time { return o.Start }
	}
	if newUID == nil {
		newUID = simulator.CountUIDs()
	}
	options := simulator.Options{
		Release:  o.Release,
		State:    simulator.BootstrapOf(cmp.Or(o.Release, kubeversion.Default())),
		Plugins:  o.Plugins,
		Backends: o.Backends,
		Explain:  !o.Unexplained,
		Now:      now,
		NewUID:   newUID,

		Variables:   o.Variables,
		Expressions: o.Expressions,

		Authorization: o.Authorization.Modes,
		Authorizers:   o.Authorization.Authorizers,
	}
	sim, wrong := simulator.New(options)
	if wrong != nil {
		options.Plugins = simulator.Plugins{} // what is wrong with objects does not depend on them
		var err error
		if sim, err = simulator.New(options); err != nil {
			return nil, nil, wrong
		}
	}
	w := &World{sim: sim, reading: reading(sim, now, newUID, o)}
	state, warnings, err := scenario.Cluster(objects, w.reading)
	if wrong != nil {
		return nil, warnings, errors.Join(wrong, err)
	}
	if err != nil {
		return nil, warnings, err
	}
	if w.sim, err = sim.With(state); err == nil && o.Controllers {
		w.sim, err = w.sim.AssumeControllers()
	}
	if err != nil {
		return nil, warnings, fmt.Errorf("the cluster: %w", err)
	}
	return w, warnings, nil
}

// reading is how manifests are read as objects of clusters like that of sim.
func reading(sim *simulator.Simulator, now func() time.Time, newUID func() types.UID, o Options) scenario.ClusterOptions {
	return scenario.ClusterOptions{
		Served: func(s *cluster.State) (*discovery.Resources, *objects.Types, error) {
			of, err := sim.With(s)
			if err != nil {
				return nil, nil, err
			}
			return of.Resources(), of.View().Types(), nil
		},
		Now:           now,
		NewUID:        newUID,
		IgnoreUnknown: o.IgnoreUnknown,
		Incomplete:    o.Incomplete,
		Unchecked:     o.Unchecked,
		Base:          sim.State(),
	}
}

// Simulator answers requests that find the cluster as it was loaded.
func (w *World) Simulator() *simulator.Simulator { return w.sim }
