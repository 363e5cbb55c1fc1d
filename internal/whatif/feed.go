package whatif

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
	runners
	shared *shared
	items  int // so far
	put    func(*item) bool
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
		for i, run := range f.all {
			it.asked[i], it.errs[i] = run.ask(r)
		}
		if err := f.send(ctx, it); err != nil {
			return err
		}
		if err := f.follow(ctx, it); err != nil {
			return err
		}
	}
	return nil
}

func (f *feeder) item(r Request) *item {
	f.items++
	return &item{
		Request: r, number: f.items, shared: f.shared,
		asked: make([]world.Asked, len(f.all)), results: make([]*simulator.Result, len(f.all)), errs: make([]error, len(f.all)),
	}
}

// send moves the runners on to the cluster behind the request, and has it judged.
func (f *feeder) send(ctx context.Context, it *item) error {
	for i, run := range f.all {
		err := run.after(ctx, it, i)
		if caught := (*bug.Error)(nil); errors.As(err, &caught) {
			it.errs[i] = err
		} else if err != nil {
			return err
		}
	}
	if !f.put(it) {
		return ctx.Err()
	}
	return nil
}

// enter has all runners go to the world of the request.
func (f *feeder) enter(r Request) error {
	var key *world.CaseKey
	begins := false
	if r.Step != nil {
		key, begins = r.Step.Key, r.Step.Begins
	}
	if key == f.shared.key && !begins {
		return nil
	}
	for _, run := range f.all {
		if err := run.enter(key); err != nil {
			return err
		}
	}
	if key != f.shared.key {
		f.shared = f.runners.newShared(key)
	}
	return nil
}

// follow asks for what somebody asks for because of the answer to a request, for as long as
// it is asked for in all worlds.
func (f *feeder) follow(ctx context.Context, it *item) error {
	for it.Step != nil && it.Step.Next != nil {
		next := f.item(it.Request)
		for i := range next.asked {
			if it.results[i] == nil {
				return nil
			}
			asked, err := it.Step.Next(it.asked[i], it.results[i])
			if asked == nil {
				return err
			}
			next.asked[i], next.errs[i] = *asked, err
		}
		if err := f.send(ctx, next); err != nil {
			return err
		}
		it = next
	}
	return nil
}
