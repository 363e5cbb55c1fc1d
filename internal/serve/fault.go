package serve

import (
	"context"
	"net/http"
	"strconv"
	"time"

	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// Faults are the configured faults.
type Faults = fault.Plan

// fault applies the configured faults to a request. It returns false if one of them ended the request.
func (x *exchange) fault(t target) bool {
	q := fault.Request{
		Verb: t.verb, Resource: t.resource.GroupResource(), Subresource: t.subresource,
		Namespace: t.namespace, Name: t.name, User: x.user.Username,
	}
	var hit bool
	if x.hit, hit = x.options.Faults.Next(q); !hit {
		return true
	}
	if x.hit.Latency > 0 && !sleep(x.r.Context(), x.hit.Latency) {
		return false
	}
	if t.verb == watch && x.hit.Breaks() {
		return true // applied once the watch has begun
	}
	switch x.hit.Kind {
	case "", fault.Lost:
		return true
	case fault.Closed:
		panic(http.ErrAbortHandler)
	case fault.Stalled:
		x.stall(x.r.Context())
	}
	x.injected = &x.hit
	status, text := x.hit.Answer(q)
	if status != nil {
		x.status(status)
		return false
	}
	x.w.Header().Set("Retry-After", strconv.Itoa(x.hit.Wait()))
	x.text(x.hit.Code(), text)
	return false
}

// stall waits until the client gives up or the server ends.
func (x *exchange) stall(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-x.closing:
	}
	panic(http.ErrAbortHandler)
}

// broken applies a fault to a watch after the configured number of events. It returns true if that ended the watch.
func (w *watching) broken(ctx context.Context) bool {
	if !w.hit.Breaks() || w.events < w.hit.Events {
		return false
	}
	w.flush()
	switch w.hit.Kind {
	case fault.Closed:
		panic(http.ErrAbortHandler)
	case fault.Stalled:
		select { // the connection stays open without further events
		case <-ctx.Done():
		case <-w.closing:
		}
	case fault.Expired, fault.Error:
		status, _ := w.hit.Answer(fault.Request{Verb: watch})
		status.Kind, status.APIVersion = "Status", "v1"
		_, _ = w.send(apiwatch.Error, status) // the client may have gone away
		w.flush()
	}
	return true
}

// do calls the simulator. If real time is configured, it takes as long as the webhooks say that they take.
func (x *exchange) do(ctx context.Context, req rest.Request) (*simulator.Result, error) {
	if !x.options.RealTime || req.Verb == rest.Get {
		return x.store.Do(ctx, req)
	}
	return x.store.Ask(ctx, func(sim *simulator.Simulator) (*simulator.Result, error) {
		began := time.Now()
		result, err := sim.Do(ctx, req)
		if err != nil {
			return nil, err
		}
		var taken time.Duration
		for _, a := range result.Admissions {
			taken = max(taken, a.Request.Elapsed+a.Elapsed)
		}
		if wait := taken - result.Waits - time.Since(began); wait > 0 { // what is waited for is a write of another client
			sleep(ctx, wait)
		}
		return result, ctx.Err()
	})
}
