// Package worlds makes the worlds of commands: the loaded world with its backends ([NewLoaded]), and the worlds that
// the cases of suites find ([Factory]).
package worlds

import (
	"context"
	"errors"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Loaded is a world with everything else from its files.
type Loaded struct {
	*world.World
	Release  *kubeversion.Release
	Bag      scenario.Bag
	Backends *backends.Backends // must be closed
}

// Options say how a loaded world is made, and how its webhooks are reached.
type Options struct {
	World    world.Options
	Backends backends.Options
	First    *dispatch.Backends // answers before the backends of the bag; may be nil
}

// NewLoaded returns the world of a bag, with the backends of the bag. What the bag contains overwrites the options. The
// error contains everything that is wrong with the bag; the world is returned without the parts that could not be made.
func NewLoaded(ctx context.Context, bag scenario.Bag, of Options) (*Loaded, []*scenario.Error, error) {
	o, b := of.World, of.Backends
	if o.Release == nil {
		o.Release = kubeversion.Default()
	}
	w := &Loaded{Release: o.Release, Bag: bag}
	b.Expressions, b.Objects = expression.New(o.Release), bag.Objects
	b.State = func() *cluster.State { return w.Simulator().State() }
	answering, backendsErr := backends.New(ctx, bag.Backends, b)
	if backendsErr == nil {
		w.Backends, o.Backends = answering, answering.Backend
		if of.First != nil {
			o.Backends = backends.Precedence{First: of.First, Loaded: answering}.Backend
		}
	} else {
		o.Incomplete = true
	}
	made, warnings, err := world.New(bag.Objects, o)
	w.World = made
	return w, warnings, errors.Join(backendsErr, err)
}
