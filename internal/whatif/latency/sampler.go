package latency

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync/atomic"

	"github.com/admsim/admsim/internal/splitmix"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/trace"
)

// A sampler has a server answer the requests while webhooks take as long as is drawn for a sample.
type sampler struct {
	options  Options
	asked    []world.Asked
	sample   int
	random   atomic.Bool      // whether the latency of a call was random
	refusing dispatch.Backend // answers the calls that fail
}

func newSampler(maker world.Maker, requests []Question, o Options) (*sampler, error) {
	refusing, err := dispatch.NewMock(nil, dispatch.Answer{Fault: dispatch.Refuse})
	if err != nil {
		return nil, err
	}
	s := &sampler{options: o, asked: make([]world.Asked, len(requests)), refusing: refusing}
	for i, q := range requests {
		if s.asked[i], err = q.in(maker, s.change); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// draw computes every step'th of the samples from first on.
func (s *sampler) draw(ctx context.Context, into *draws, first, end, step int) error {
	for i := first; i < end; i += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		courses := into.courses[i%len(s.asked)]
		one, known := courses.follow(s.options.Seed, i)
		if !known {
			s.sample = i
			result, err := s.asked[i%len(s.asked)].Answer(ctx)
			if err != nil {
				return err
			}
			one = drawOf(result)
			courses.learn(s.options.Seed, i, result, one)
		}
		into.add(i, one)
	}
	return nil
}

func (s *sampler) change(resolver world.Resolver) world.Resolver {
	return func(configuration, webhook string) dispatch.Backend {
		usual := resolver(configuration, webhook)
		if of, known := s.options.Of(configuration, webhook); known {
			return drawn{s, of, usual}
		}
		return usual
	}
}

type drawn struct {
	*sampler
	of    Distribution
	usual dispatch.Backend
}

func (d drawn) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	if d.of.isRandom() {
		d.random.Store(true)
	}
	called := drawnCall{c.Phase, c.Configuration, c.Webhook, c.Number}
	latency, fails := d.of.draw(called.random(d.options.Seed, d.sample))
	if fails {
		return d.refusing.Call(ctx, c)
	}
	reply := d.usual.Call(ctx, c)
	if reply.Latency != dispatch.Never {
		reply.Latency = latency
	}
	return reply
}

// A drawnCall is what a latency is drawn for.
type drawnCall struct {
	phase                  trace.Phase
	configuration, webhook string
	number                 int // number of earlier calls of the webhook in the same admission
}

// random returns the random numbers of a call, which depend on nothing else.
func (c drawnCall) random(seed uint64, sample int) *splitmix.Source {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%d/%s/%s/%s/%d", seed, sample, c.phase, c.configuration, c.webhook, c.number)
	return splitmix.New(h.Sum64())
}
