package world

import (
	"context"
	"errors"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Loaded world has beside it what else its files hold.
type Loaded struct {
	*World
	Release  *kubeversion.Release
	Bag      scenario.Bag
	Backends *Backends // to be closed
}

// NewLoaded returns the world of a bag, whose webhooks are answered by the backends of the bag. Of
// the options, what the bag says is overwritten. All that is wrong with the bag is in the error,
// and a world without what could not be made is returned beside it.
func NewLoaded(ctx context.Context, bag scenario.Bag, o Options, b BackendOptions) (*Loaded, []*scenario.Error, error) {
	if o.Release == nil {
		o.Release = kubeversion.Default()
	}
	w := &Loaded{Release: o.Release, Bag: bag}
	b.Expressions, b.Objects = expression.New(o.Release), bag.Objects
	b.State = func() *cluster.State { return w.Simulator().State() }
	backends, backendsErr := NewBackends(ctx, bag.Backends, b)
	if backendsErr == nil {
		w.Backends, o.Backends = backends, backends.Backend
	} else {
		o.Incomplete = true
	}
	made, warnings, err := New(bag.Objects, o)
	w.World = made
	return w, warnings, errors.Join(backendsErr, err)
}
