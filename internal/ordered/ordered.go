// Package ordered processes a stream of items in several goroutines, and delivers the items in
// the order in which they were produced.
//
// It is the only worker pool in admsim: recordings are parsed, replayed and compared with it. [Run] passes finished
// items to a function, [Start] lets the caller pull them. The package does not know what the items are, and does not
// batch them: the producer should batch items that cost less than a microsecond.
package ordered

import (
	"context"
	"sync"

	"github.com/admsim/admsim/internal/bug"
)

// Run passes each item that produce puts to one of the workers, and then to take, in the order of put. Workers run
// concurrently; produce and take each handle one item at a time. At most ahead items wait to be taken. A single worker
// runs in the caller's goroutine, and nothing is ahead.
//
// put returns false once no more items are wanted; the context of produce is done then, and produce should return. Run
// returns when nothing of it is running any more, with the first error of take, else that of produce, else the reason
// why ctx ended.
func Run[T any](ctx context.Context, ahead int, workers []func(context.Context, T), produce func(ctx context.Context, put func(T) bool) error, take func(T) error) error {
	if len(workers) == 1 {
		return runHere(ctx, workers[0], produce, take)
	}
	s := Start(ctx, ahead, workers, produce)
	defer s.running.Wait()
	defer s.Stop()
	for {
		item, ok := s.Next()
		if !ok {
			return s.Err()
		}
		if err := take(item); err != nil {
			return err
		}
	}
}

func runHere[T any](ctx context.Context, work func(context.Context, T), produce func(ctx context.Context, put func(T) bool) error, take func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var taken error
	err := produce(ctx, func(item T) bool {
		if ctx.Err() != nil {
			return false
		}
		work(ctx, item)
		if taken = take(item); taken != nil {
			cancel()
		}
		return taken == nil
	})
	if taken != nil {
		return taken
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}

// A Stream is a stream of items in progress.
type Stream[T any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	order   chan *slot[T]
	running sync.WaitGroup

	produced error // by produce; to be read once order is closed
	ended    error // why Next returned false
}

type slot[T any] struct {
	item T
	err  error // a panic of the worker
	done chan struct{}
}

func (n *slot[T]) work(ctx context.Context, with func(context.Context, T)) {
	defer close(n.done)
	defer bug.Catch(&n.err)
	with(ctx, n.item)
}

// Start starts workers on what produce puts, as [Run] does. The caller takes the items with Next, and must call Stop.
func Start[T any](ctx context.Context, ahead int, workers []func(context.Context, T), produce func(ctx context.Context, put func(T) bool) error) *Stream[T] {
	s := &Stream[T]{order: make(chan *slot[T], ahead)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	work := make(chan *slot[T], len(workers))
	s.running.Go(func() {
		defer close(s.order)
		defer close(work)
		defer bug.Catch(&s.produced)
		s.produced = produce(s.ctx, func(item T) bool {
			next := &slot[T]{item: item, done: make(chan struct{})}
			for _, to := range []chan<- *slot[T]{s.order, work} {
				select {
				case to <- next:
				case <-s.ctx.Done():
					return false
				}
			}
			return true
		})
	})
	for _, w := range workers {
		s.running.Go(func() {
			for next := range work {
				next.work(s.ctx, w)
			}
		})
	}
	return s
}

// Next returns the next item once a worker is done with it. ok is false after the last item, and when the context
// ended: Err tells which. Only one goroutine may call it at a time.
func (s *Stream[T]) Next() (item T, ok bool) {
	select {
	case next, more := <-s.order:
		if !more {
			s.ended = s.produced
			if s.ended == nil {
				s.ended = s.ctx.Err()
			}
			return item, false
		}
		select {
		case <-next.done:
			if s.ended = next.err; s.ended != nil {
				return item, false
			}
			return next.item, true
		case <-s.ctx.Done():
		}
	case <-s.ctx.Done():
	}
	s.ended = s.ctx.Err()
	return item, false
}

// Err returns why Next returned false: the error of produce, else the reason why the context ended, else nil.
func (s *Stream[T]) Err() error { return s.ended }

// Stop ends the work without waiting: items in progress are finished.
func (s *Stream[T]) Stop() { s.cancel() }
