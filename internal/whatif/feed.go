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
	cast
	stage *stage
	turns int // so far
	put   func(*turn) bool
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
		t := f.turn(r)
		for i, p := range f.players {
			t.asked[i], t.errs[i] = p.ask(r)
		}
		if err := f.send(ctx, t); err != nil {
			return err
		}
		if err := f.follow(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (f *feeder) turn(r Request) *turn {
	f.turns++
	return &turn{
		Request: r, number: f.turns, stage: f.stage,
		asked: make([]world.Asked, len(f.players)), results: make([]*simulator.Result, len(f.players)), errs: make([]error, len(f.players)),
	}
}

// send moves the players on to the cluster behind the request, and has it judged.
func (f *feeder) send(ctx context.Context, t *turn) error {
	for i, p := range f.players {
		err := p.after(ctx, t, i)
		if caught := (*bug.Error)(nil); errors.As(err, &caught) {
			t.errs[i] = err
		} else if err != nil {
			return err
		}
	}
	if !f.put(t) {
		return ctx.Err()
	}
	return nil
}

// enter has all players go to the ground of the request.
func (f *feeder) enter(r Request) error {
	var ground *Ground
	begins := false
	if r.Step != nil {
		ground, begins = r.Step.Ground, r.Step.Begins
	}
	if ground == f.stage.ground && !begins {
		return nil
	}
	for _, p := range f.players {
		if err := p.enter(ground); err != nil {
			return err
		}
	}
	if ground != f.stage.ground {
		f.stage = f.cast.stage(ground)
	}
	return nil
}

// follow asks for what somebody asks for because of the answer to a request, for as long as
// it is asked for in all worlds.
func (f *feeder) follow(ctx context.Context, t *turn) error {
	for t.Step != nil && t.Step.Next != nil {
		next := f.turn(t.Request)
		for i := range next.asked {
			if t.results[i] == nil {
				return nil
			}
			asked, err := t.Step.Next(t.asked[i], t.results[i])
			if asked == nil {
				return err
			}
			next.asked[i], next.errs[i] = *asked, err
		}
		if err := f.send(ctx, next); err != nil {
			return err
		}
		t = next
	}
	return nil
}
