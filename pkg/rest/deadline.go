package rest

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A request may take 60 s unless its client asks for less, and the handling of a single object 34 s, or 30 s up to 1.14
// (W-031).
const (
	requestTimeout        = 60 * time.Second
	handlerTimeout        = 34 * time.Second
	shorterHandlerTimeout = 30 * time.Second
)

// Limit returns how long the server of a release lets a request run, including its webhooks (W-031).
func (r Request) Limit(release *kubeversion.Release) time.Duration {
	asked, err := time.ParseDuration(r.Query.Get("timeout"))
	limit := handlerTimeout
	if !release.Has(kubeversion.LongerHandlers) {
		limit = shorterHandlerTimeout
	}
	switch {
	case !release.Has(kubeversion.RequestDeadlineFilter) && err == nil:
		return max(1, min(asked, requestTimeout)) // no time is over at once
	case !release.Has(kubeversion.RequestDeadlineFilter):
		return limit
	case r.Verb == DeleteCollection && release.Has(kubeversion.CollectionsTakeLonger):
		limit = requestTimeout
	}
	if err == nil && asked > 0 {
		limit = min(limit, asked)
	}
	return limit
}

// endedByFilter reports whether the filter of the server ends a request whose time is over, and not its handler, which
// waits for a time of its own.
func (x *exchange) endedByFilter() bool {
	if !x.server.release().Has(kubeversion.RequestDeadlineFilter) {
		return false
	}
	return x.limit != handlerTimeout || x.req.Verb == DeleteCollection && x.server.release().Has(kubeversion.CollectionsTakeLonger)
}

// checkTimeout refuses an invalid limit. Connections have no limit, so theirs is not checked.
func (x *exchange) checkTimeout() error {
	asked := x.req.Query.Get("timeout")
	if asked == "" || x.req.Verb == Connect || !x.server.release().Has(kubeversion.RequestDeadlineFilter) {
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
	status := admission.StatusOf(apierrors.NewTimeoutError(x.timeoutMessage(), 0))
	if x.endedByFilter() {
		return int(status.Code), bareStatus{status}
	}
	return int(status.Code), status
}

func (x *exchange) timeoutMessage() string {
	switch r := x.server.release(); {
	case !r.Has(kubeversion.RequestDeadlineFilter) && x.limit == requestTimeout:
		return fmt.Sprintf("request did not complete within %s", requestTimeout)
	case !r.Has(kubeversion.LimitsNamed):
		return "request did not complete within allowed duration"
	case !r.Has(kubeversion.RequestDeadlineFilter):
		return fmt.Sprintf("request did not complete within requested timeout %s", x.limit)
	case x.endedByFilter():
		return "request did not complete within the allotted timeout"
	case !r.Has(kubeversion.TimeoutDash):
		return "request did not complete within requested timeout context deadline exceeded"
	}
	return "request did not complete within requested timeout - context deadline exceeded"
}
