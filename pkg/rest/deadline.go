package rest

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// A request may take 60 s unless its client asks for less, and the handling of a single object 34 s (W-031).
const (
	requestTimeout = 60 * time.Second
	handlerTimeout = 34 * time.Second
)

// Limit returns how long the server lets a request run, including its webhooks (W-031).
func Limit(req Request) time.Duration {
	limit := requestTimeout
	if asked, err := time.ParseDuration(req.Query.Get("timeout")); err == nil && asked > 0 && asked < limit {
		limit = asked
	}
	if req.Verb == DeleteCollection {
		return limit
	}
	return min(limit, handlerTimeout)
}

// checkTimeout refuses an invalid limit. Connections have no limit, so theirs is not checked.
func (x *exchange) checkTimeout() error {
	asked := x.req.Query.Get("timeout")
	if asked == "" || x.req.Verb == Connect {
		return nil
	}
	if _, err := time.ParseDuration(asked); err != nil {
		return badRequest("invalid timeout specified in the request URL - %s", err)
	}
	return nil
}

func (x *exchange) timedOut() bool { return x.limit > 0 && x.elapsed >= x.limit }

// timeout returns the answer to a request whose time is over, whatever is still running (W-032).
func (x *exchange) timeout() (int, runtime.Object) {
	status := admission.StatusOf(apierrors.NewTimeoutError("request did not complete within requested timeout - context deadline exceeded", 0))
	return int(status.Code), status
}
