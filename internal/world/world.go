// Package world runs a scenario: it loads the objects of the scenario into a simulator, and answers the requests of the
// scenario.
//
// Start with [New], then [World.Ask] for each request, and [Asked.Answer] or [Asked.Explain]. All commands that run
// requests use this package, so that the same files give the same answers everywhere.
//
// The package parses nothing, which is the job of package scenario, and does not know how an answer is shown.
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

// Options describe a world apart from its manifests. The zero value is a server of the default release in which every
// webhook is an error and no controller has run.
type Options struct {
	Release *kubeversion.Release // nil: the default release
	Plugins simulator.Plugins

	// Backends returns the backend that answers for a webhook. Nil: there is none.
	Backends func(configuration, webhook string) dispatch.Backend

	// Unexplained omits the webhooks that are not called, and the reasons, from the trace. A request then does not get
	// slower with every webhook that does not concern it.
	Unexplained bool

	// Controllers adds everything that the controllers of a running cluster would have created:
	// [simulator.Simulator.AssumeControllers].
	Controllers bool

	// Variables makes traces contain the values of all variables of policies.
	Variables bool

	// IgnoreUnknown turns errors about unknown kinds and fields into warnings.
	IgnoreUnknown bool

	// Incomplete means that manifests are missing: see [scenario.ClusterOptions].
	Incomplete bool

	// Expressions compiles expressions. Nil: the world has its own compiler.
	Expressions *expression.Compiler

	// Unchecked leaves out the warnings about fields in policies that no kind has, which take longer to find than
	// everything else.
	Unchecked bool

	// Authorization says how requests are authorized before admission. Without modes, all are allowed.
	Authorization scenario.Authorization

	// Start is the time of the simulated clock. Zero: a fixed time.
	Start time.Time

	// Now and NewUID are the clock and the source of UIDs of a live cluster. Nil: the clock stands still, and UIDs
	// count up.
	Now    func() time.Time
	NewUID func() types.UID
}

// start is the default time of the simulated clock; only timestamps depend on it.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A World is a cluster made from manifests, ready for requests. It never changes: the changes of a request are in the
// simulator of its answer.
type World struct {
	sim     *simulator.Simulator
	reading scenario.ClusterOptions
}

// New returns the world whose cluster has these objects, after the objects that the server creates itself. The warnings
// are those of the server, and others that may help the author. The error may be a [scenario.Errors].
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
		options.Plugins = simulator.Plugins{} // errors in objects do not depend on plugins
		var err error
		if sim, err = simulator.New(options); err != nil {
			return nil, nil, wrong
		}
	}
	w := &World{sim: sim, reading: reading(sim, now, newUID, o)}
	state, warnings, err := scenario.Cluster(objects, w.reading)
	if wrong != nil {
		return nil, warnings, errors.Join(placed(wrong), err)
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

// reading returns the options for reading manifests as objects of clusters like that of sim.
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

// Simulator returns a simulator of the cluster as it was loaded.
func (w *World) Simulator() *simulator.Simulator { return w.sim }
