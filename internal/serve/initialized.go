package serve

import (
	"context"
	"net/http"

	"github.com/admsim/admsim/pkg/simulator"
)

// initialized returns the answer of a request whose object somebody has to initialize. The wait also ends if the client
// goes away, or the server.
func (x *exchange) initialized(ctx context.Context, result *simulator.Result) (*simulator.Result, error) {
	if result.Waits == 0 {
		return result, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-x.closing:
			cancel(http.ErrAbortHandler)
		case <-ctx.Done():
		}
	}()
	result, err := x.store.Initialized(ctx, result)
	if context.Cause(ctx) == http.ErrAbortHandler {
		panic(http.ErrAbortHandler)
	}
	return result, err
}
