package whatif_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A read world is one that a test wrote as YAML, with the requests in it.
type read struct {
	*world.World
	bag     scenario.Bag
	release string // empty: the default one
	make    world.Maker
}

func readWorld(tb testing.TB, text string) *read {
	tb.Helper()
	options := scenario.Options{FS: fstest.MapFS{"world.yaml": {Data: []byte(text)}}}
	found, err := scenario.Load([]string{"world.yaml"}, options)
	if err != nil {
		tb.Fatal(err)
	}
	bag, err := scenario.Sort(found, options)
	if err != nil {
		tb.Fatal(err)
	}
	backends, err := backends.New(context.Background(), bag.Backends, backends.Options{
		Expressions: expression.New(kubeversion.Default()),
		Objects:     bag.Objects,
		Unmatched:   &dispatch.Mock{},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(backends.Close)
	r := &read{bag: bag}
	r.make = func(_ *world.CaseKey, change func(world.Resolver) world.Resolver) (*world.World, error) {
		release := kubeversion.Default()
		if r.release != "" {
			var err error
			if release, err = kubeversion.Parse(r.release); err != nil {
				return nil, err
			}
		}
		resolver := world.Resolver(backends.Backend)
		if change != nil {
			resolver = change(resolver)
		}
		w, _, err := world.New(bag.Objects, world.Options{Release: release, Backends: resolver, Controllers: true})
		return w, err
	}
	if r.World, err = r.make(nil, nil); err != nil {
		tb.Fatal(err)
	}
	return r
}
