package latency

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/admsim/admsim/internal/splitmix"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A sampler has a server answer the requests while webhooks take as long as is drawn for a sample.
type sampler struct {
	options  Options
	asked    []world.Asked
	refusing dispatch.Backend // answers the calls that fail

	sample    int
	anyRandom atomic.Bool // whether the latency of a call was random

	mu      sync.Mutex
	numbers map[drawnCall]int // of the next call in this sample
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

// compareEvery is after how many samples of a request the server is asked although the course is known.
const compareEvery = 64

// draw computes samples.
func (s *sampler) draw(ctx context.Context, into *draws, samples []int) error {
	for _, i := range samples {
		if err := ctx.Err(); err != nil {
			return err
		}
		courses := into.courses[i%len(s.asked)]
		one, known := courses.follow(s.options.Seed, i)
		if !known || i/len(s.asked)%compareEvery == 0 {
			result, err := s.answer(ctx, i)
			if err != nil {
				return err
			}
			answered := sampledOf(result)
			if known {
				courses.compare(one, answered)
			} else {
				courses.learn(s.options.Seed, i, result, answered)
			}
			one, known = answered, false
		}
		into.add(i, one, known)
	}
	return nil
}

// answer has the server answer a request with the latencies of a sample.
func (s *sampler) answer(ctx context.Context, sample int) (*simulator.Result, error) {
	s.sample, s.numbers = sample, map[drawnCall]int{}
	return s.asked[sample%len(s.asked)].Answer(ctx)
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
		d.anyRandom.Store(true)
	}
	latency, fails := d.of.draw(d.number(c).source(d.options.Seed, d.sample))
	if fails {
		return d.refusing.Call(ctx, c)
	}
	return after(latency, d.usual.Call(ctx, c))
}

// AnswersAtOnce reports whether the webhook need not be called concurrently with others.
func (d drawn) AnswersAtOnce() bool { return dispatch.AnswersAtOnce(d.usual) }

// after returns a reply that comes after some time, if it ever comes.
func after(latency time.Duration, r dispatch.Reply) dispatch.Reply {
	if r.Latency != dispatch.Never {
		r.Latency = latency
	}
	return r
}

// A fast webhook answers at once what it usually answers.
type fast struct{ usual dispatch.Backend }

func (f fast) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	return after(0, f.usual.Call(ctx, c))
}

func (f fast) AnswersAtOnce() bool { return dispatch.AnswersAtOnce(f.usual) }

// allFast makes the webhooks fast whose latency is drawn.
func (o *Options) allFast(resolver world.Resolver) world.Resolver {
	return func(configuration, webhook string) dispatch.Backend {
		usual := resolver(configuration, webhook)
		if _, known := o.Of(configuration, webhook); known {
			return fast{usual}
		}
		return usual
	}
}

// number counts a call.
func (s *sampler) number(c dispatch.Call) drawnCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return drawnCall{phase: c.Phase, configuration: c.Configuration, webhook: c.Webhook}.numbered(s.numbers)
}

// A drawnCall is what a latency is drawn for.
type drawnCall struct {
	phase                  trace.Phase
	configuration, webhook string
	number                 int // number of earlier calls of the webhook while the server answers the client's request
}

// numbered returns the next call of a webhook, and counts it.
func (c drawnCall) numbered(next map[drawnCall]int) drawnCall {
	number := next[c]
	next[c]++
	c.number = number
	return c
}

// source returns the random numbers of a call, which depend on nothing else.
func (c drawnCall) source(seed uint64, sample int) *splitmix.Source {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%d/%s/%s/%s/%d", seed, sample, c.phase, c.configuration, c.webhook, c.number)
	return splitmix.New(h.Sum64())
}
