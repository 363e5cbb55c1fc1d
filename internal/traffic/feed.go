package traffic

import (
	"context"
	"errors"
	"io"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// A feeder hands requests to the workers, in order.
type feeder struct {
	Runners
	world *World
	items int // so far
	put   func(*Item) bool
}

func (f *feeder) feed(ctx context.Context, corpus Corpus) error {
	for ctx.Err() == nil {
		r, err := corpus.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.enter(r); err != nil {
			return err
		}
		it := f.item(r)
		for i, run := range f.All {
			it.Asked[i], it.Errs[i] = run.ask(r)
		}
		f.askUnserved(it)
		if err := f.send(ctx, it); err != nil {
			return err
		}
		if err := f.follow(ctx, it); err != nil {
			return err
		}
	}
	return nil
}

// askUnserved prepares the request for a runner whose world does not serve the resource, if another world serves it.
// The server then answers that it does not find the resource.
func (f *feeder) askUnserved(it *Item) {
	for i, run := range f.All {
		for j := range f.All {
			if it.Errs[i] == nil || it.Errs[j] != nil || it.Asked[j].Review != nil {
				continue
			}
			asked := it.Asked[j]
			if _, served := run.sim.Resources().Resource(asked.API.Resource); !served {
				it.Asked[i], it.Errs[i] = world.Asked{From: asked.From, API: asked.API, Simulator: run.sim}, nil
			}
		}
	}
}

func (f *feeder) item(r Request) *Item {
	f.items++
	return &Item{
		Request: r, Number: f.items, World: f.world,
		Asked: make([]world.Asked, len(f.All)), Results: make([]*simulator.Result, len(f.All)), Errs: make([]error, len(f.All)),
	}
}

// send moves the runners to the cluster after the request, and passes it on to be judged.
func (f *feeder) send(ctx context.Context, it *Item) error {
	for i, run := range f.All {
		err := run.after(ctx, it, i)
		if caught := (*bug.Error)(nil); errors.As(err, &caught) {
			it.Errs[i] = err
		} else if err != nil {
			return err
		}
	}
	if !f.put(it) {
		return ctx.Err()
	}
	return nil
}

// enter moves all runners to the world of the request.
func (f *feeder) enter(r Request) error {
	var key *world.CaseKey
	begins := false
	if r.Step != nil {
		key, begins = r.Step.Key, r.Step.Begins
	}
	if key == f.world.key && !begins {
		return nil
	}
	for _, run := range f.All {
		if err := run.enter(key); err != nil {
			return err
		}
	}
	if key != f.world.key {
		f.world = f.Runners.world(key)
	}
	return nil
}

// follow sends the requests that clients send in response to an answer, as long as this happens in all worlds.
func (f *feeder) follow(ctx context.Context, it *Item) error {
	for it.Step != nil && it.Step.Next != nil {
		next := f.item(it.Request)
		for i := range next.Asked {
			if it.Results[i] == nil {
				return nil
			}
			asked, err := it.Step.Next(it.Asked[i], it.Results[i])
			if asked == nil {
				return err
			}
			next.Asked[i], next.Errs[i] = *asked, err
		}
		if err := f.send(ctx, next); err != nil {
			return err
		}
		it = next
	}
	return nil
}
