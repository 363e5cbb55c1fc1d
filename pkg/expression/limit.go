package expression

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/hint"
)

// longestEvaluation is the maximum real time for the expressions of one request together: as long as kube-apiserver
// takes for a request (--request-timeout). Costs limit what CEL counts, for one policy; this limits what it does not
// count, and many policies. A policy that uses up its costs takes a second or two.
const longestEvaluation = time.Minute

// Limited returns a context for one request, whose expressions may take a minute together. Only the time of evaluation
// counts, so webhooks may take as long as they are allowed to. Defer stop until the request is answered: it replaces
// *err if the server's answer cannot be known, see [bug.Stop].
//
// The limit is part of the context, like a deadline: it is a deadline whose clock stops in between.
func Limited(ctx context.Context) (_ context.Context, stop func(err *error)) {
	l := &limit{Context: ctx, most: longestEvaluation}
	return l, func(err *error) {
		l.stop()
		bug.Stopped(recover(), err)
	}
}

type limitKey struct{}

// limitOf returns the limit of a request. Expressions that are not evaluated for a request have their own.
func limitOf(ctx context.Context) (l *limit, stop func()) {
	if l, ok := ctx.Value(limitKey{}).(*limit); ok {
		return l, func() {}
	}
	l = &limit{Context: ctx, most: longestEvaluation}
	return l, l.stop
}

// A limit is a context that knows how long expressions have been evaluated. It costs nothing until one is evaluated.
type limit struct {
	context.Context // of the request
	most            time.Duration

	mu      sync.Mutex
	running int       // number of evaluations
	since   time.Time // when the first of them began
	spent   time.Duration
	timer   *time.Timer
	inner   context.Context // ends when the time is over; nil until there is an evaluation
	cancel  context.CancelCauseFunc
}

var errOutOfTime = errors.New("out of time")

func (l *limit) Value(key any) any {
	if key == (limitKey{}) {
		return l
	}
	return l.Context.Value(key)
}

// during evaluates something in a context that ends when the time is over, and reports whether there is time left.
func (l *limit) during(evaluate func(context.Context)) (left bool) {
	ctx := l.begin()
	defer func() { left = l.end() }()
	evaluate(ctx)
	return
}

func (l *limit) begin() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inner == nil {
		l.inner, l.cancel = context.WithCancelCause(l.Context)
		l.timer = time.AfterFunc(l.most, l.check)
	}
	if l.running == 0 {
		l.since = time.Now()
	}
	l.running++
	return l.inner
}

func (l *limit) end() (left bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running--; l.running == 0 {
		l.spent += time.Since(l.since)
	}
	return l.spent < l.most
}

// check ends evaluations if the time is over, and otherwise runs again when that may be the case.
func (l *limit) check() {
	l.mu.Lock()
	defer l.mu.Unlock()
	spent := l.spent
	if l.running > 0 {
		spent += time.Since(l.since)
	}
	if spent >= l.most {
		l.cancel(errOutOfTime)
		return
	}
	l.timer.Reset(l.most - spent)
}

func (l *limit) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inner != nil {
		l.timer.Stop()
		l.cancel(nil)
	}
}

// slow returns the value of the panic: the server's answer cannot be known.
func (l *limit) slow(text string) bug.Stop {
	err := fmt.Errorf("the expressions of a request take longer than %v, which is as long as admsim waits; the last one: %s", l.most, text)
	return bug.Stop{Err: hint.Add(err, "make the expression do less, or the object smaller: it takes kube-apiserver as long")}
}
