package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/admsim/admsim/pkg/simulator"
)

// initialized waits until another client has initialized the object that a request created, or the time of the request
// is over, and returns the answer (IN-10). The wait also ends if the client goes away, or the server.
func (x *exchange) initialized(ctx context.Context, result *simulator.Result) (*simulator.Result, error) {
	if result.Waits == 0 {
		return result, nil
	}
	timer := time.NewTimer(result.Waits)
	defer timer.Stop()
	for at := result.State.Writes(); ; {
		events, upTo, more, err := x.store.Since(at)
		if err != nil {
			return nil, err
		}
		for i := range events {
			answer, ended, err := result.Initialized(events[i].Change)
			if err != nil {
				return nil, err
			}
			if ended {
				latest := x.store.Latest()
				answer.State = latest.State()
				return &simulator.Result{Response: answer, Next: latest}, nil
			}
		}
		at = upTo
		select {
		case <-more:
		case <-timer.C:
			return result, nil
		case <-x.closing:
			panic(http.ErrAbortHandler)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
