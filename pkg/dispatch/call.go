package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// A call is one call of a webhook, including the attempts that Retry-After asks for.
type call struct {
	hook   Hook
	review *Review // nil for a callback
	uid    types.UID

	limit   time.Duration // for each attempt; 0: that of the server's clients
	made    []trace.Call
	spent   time.Duration
	changes []cluster.Change
	output  string // of the webhook's program, for the last attempt
}

// run does for one hook what the server does, step by step (W-200). Without a problem the response allowed the request.
// If there is both a response and a problem, the warnings and annotations of the response count (W-178).
func (c *call) run(ctx context.Context, d *Dispatcher) (*response, *problem, error) {
	if p := c.checkDryRun(); p != nil {
		return nil, p, nil
	}
	version, ok := c.review.chooseVersion(c.hook.ReviewVersions)
	if !ok {
		return nil, c.failure("could not create admission objects: ",
			c.noVersion()), nil
	}
	to, err := d.target(c.hook.Name, c.clientConfig())
	if err != nil {
		p := c.failure("could not get REST client: ", err)
		if errors.As(err, new(bundleError)) {
			p.hint = c.bundleHint()
		}
		return nil, p, nil
	}
	if s := c.hook.Client.Service; s != nil && !c.review.has(kubeversion.ServicePorts) {
		to = strings.Replace(to, ":"+strconv.Itoa(int(PortOf(*s))), ":443", 1)
	}
	left, limited := c.review.Request.Remaining()
	a := allow(c.hook.TimeoutSeconds, left, limited)
	r, failed, err := c.exchange(ctx, Call{
		Configuration: c.hook.Configuration,
		Webhook:       c.hook.Name,
		Phase:         c.hook.Phase,
		Before:        c.hook.Before,
		Client:        c.hook.Client,
		URL:           to + timeoutQuery(a.asked),
		UID:           c.uid,
		Version:       version,
		Review:        c.review,
		From:          c.hook.From,
		body:          &body{review: c.review, version: version, uid: c.uid},
		release:       c.review.Release,
	}, a)
	if failed != nil || err != nil {
		return nil, c.unanswered(failed), err
	}
	resp, err := r.decode(version, c.review.Release)
	if err != nil {
		return nil, c.failure("failed to call webhook: ", err), nil
	}
	if !resp.present && c.hook.Phase == trace.Mutating && !c.review.has(kubeversion.AbsentResponses) {
		return nil, c.panicked("runtime error: invalid memory address or nil pointer dereference"), nil
	}
	if !resp.present && !c.review.has(kubeversion.AbsentResponseWords) {
		return nil, c.failure("", errors.New("Webhook response was absent")), nil
	}
	if err := resp.verify(version, c.uid, c.hook.Phase); err != nil {
		return nil, c.failure("received invalid webhook response: ", err), nil
	}
	return resp, c.judge(resp), nil
}

// clientConfig returns that of the hook, without a caBundle that does not matter.
func (c *call) clientConfig() admissionregistrationv1.WebhookClientConfig {
	config := c.hook.Client
	if t, ok := c.hook.Backend.(Trusting); ok && t.TrustsItself() {
		config.CABundle = nil
	}
	return config
}

// bundleHint returns a hint for a caBundle without a certificate. The manifests of many projects have such a caBundle
// until something in the cluster fills it in.
func (c *call) bundleHint() string {
	at := ""
	if c.hook.Place != nil {
		at = " at " + c.hook.Place("clientConfig.caBundle")
	}
	return "the caBundle" + at + " holds no certificate, maybe it is a placeholder: leave it out, or put in the certificate that the cluster has there"
}

// checkDryRun refuses dry runs of webhooks with side effects (W-191..W-193).
func (c *call) checkDryRun() *problem {
	if !c.review.Request.DryRun {
		return nil
	}
	switch effects := c.hook.SideEffects; {
	case effects == nil:
		return c.failure("", errors.New("Webhook SideEffects is nil"))
	case *effects == admissionregistrationv1.SideEffectClassNone,
		*effects == admissionregistrationv1.SideEffectClassNoneOnDryRun:
		return nil
	default:
		return dryRunUnsupported(c.hook.Name, *effects)
	}
}

// noVersion returns the server's error for a webhook that accepts none of its versions. When there was only one
// version, each phase had its own wording (W-130).
func (c *call) noVersion() error {
	switch {
	case c.review.has(kubeversion.WebhooksV1):
		return errors.New("webhook does not accept known AdmissionReview versions (v1, v1beta1)")
	case c.hook.Phase == trace.Validating:
		return errors.New("webhook does not accept v1beta1 AdmissionReviewRequest")
	}
	return errors.New("webhook does not accept v1beta1 AdmissionReview")
}

// failure returns the problem of a call that failed, in the server's words (W-169).
func (c *call) failure(prefix string, reason error) *problem {
	what := "webhook"
	if !c.review.has(kubeversion.WebhookFailureWords) {
		what = "admission webhook"
	}
	explained := fmt.Errorf("%s%w", prefix, reason)
	p := &problem{because: explained.Error(), failure: fmt.Errorf("failed calling %s %q: %w", what, c.hook.Name, explained)}
	if c.output != "" {
		p.because += "; " + c.output
	}
	says := kubeversion.MutatingFailureReasons
	if c.hook.Phase == trace.Validating {
		says = kubeversion.ValidatingFailureReasons
	}
	if !c.review.has(says) {
		p.failure = fmt.Errorf("failed calling %s %q: %w", what, c.hook.Name, reason)
	}
	return p
}

// maxRetries is how often the server tries again (W-162).
const maxRetries = 10

// unanswered returns the problem of a call without an answer.
func (c *call) unanswered(failed error) *problem {
	if panicked := (*panicError)(nil); errors.As(failed, &panicked) {
		return c.panicked(panicked.value)
	}
	if noClient := (*NoClientError)(nil); errors.As(failed, &noClient) {
		return c.failure("could not get REST client: ", noClient)
	}
	p := c.failure("failed to call webhook: ", failed)
	if with := (*hint.Error)(nil); errors.As(failed, &with) {
		p.hint = with.Hint
	}
	if crashed := (*crash)(nil); errors.As(failed, &crashed) {
		p.because += fmt.Sprintf("; its handler panicked: %v", crashed.value)
	}
	return p
}

// exchange sends a request and returns the final answer, or the error with which the server's client says that there
// was none. It does not check the status, except for those that ask for another attempt.
func (c *call) exchange(ctx context.Context, request Call, a allowance) (answer result, failed, err error) {
	if a.isOver() { // nothing is sent: kubernetes/client-go:rest/with_retry.go, Before
		return result{}, context.DeadlineExceeded, nil
	}
	for before := len(c.made); ; {
		request.Number = c.hook.Earlier + len(c.made)
		request.Timeout = min(a.time-c.spent, cmp.Or(c.limit, clientLimit))
		reply, err := c.attempt(ctx, request, a.time-c.spent)
		if err != nil {
			return result{}, nil, err
		}
		if reply.Panic != nil {
			return result{}, &panicError{reply.Panic}, nil
		}
		if reply.Err != nil {
			return result{}, reply.Err, nil
		}
		r := result{status: reply.Status, header: reply.Header, body: reply.Body}
		wait, again := r.retryAfter()
		if !again || len(c.made)-before > maxRetries {
			return r, nil, nil
		}
		switch left := a.time - c.spent; {
		case left <= 0: // over before the wait: kubernetes/client-go:rest/with_retry.go, Before
			return result{}, context.DeadlineExceeded, nil
		case wait >= left:
			c.spent = a.time
			return result{}, postError(request.URL, context.DeadlineExceeded), nil
		}
		c.spent += wait
		request.After = wait
	}
}

// A panicError is a panic of the API server while it made a call.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// attempt calls the backend once. left is what remains of the time for the whole call.
func (c *call) attempt(ctx context.Context, request Call, left time.Duration) (Reply, error) {
	backend := c.hook.Backend
	if backend == nil {
		backend = noBackend{errors.New("it has no backend")}
	}
	reply := backend.Call(ctx, request)
	c.changes = append(c.changes, reply.Changes...)
	if err := ctx.Err(); err != nil {
		return reply, err
	}
	c.output = reply.Output
	if reply.Err != nil {
		if unknown := (*NoAnswerError)(nil); errors.As(reply.Err, &unknown) {
			return reply, unknown
		}
		if noClient := (*NoClientError)(nil); errors.As(reply.Err, &noClient) {
			return reply, nil
		}
	}

	took := max(reply.Latency, 0)
	if took > request.Timeout || errors.Is(reply.Err, context.DeadlineExceeded) {
		took = request.Timeout
		reply = Reply{Output: reply.Output, Err: timeoutError(reply.Err, request.Timeout < left)}
	}
	if reply.Err != nil {
		reply.Status, reply.Err = 0, worded(postError(request.URL, reply.Err), request.release)
	} else if reply.Status == 0 && reply.Panic == nil {
		reply.Status = http.StatusOK
	}
	c.spent += took
	c.made = append(c.made, trace.Call{
		URL:      request.URL,
		Review:   request.body.text,
		Status:   reply.Status,
		Reply:    reply.Body,
		Error:    reply.errorText(),
		Assumed:  reply.Assumed,
		Duration: took,
	})
	return reply, nil
}

func (r Reply) errorText() string {
	switch {
	case r.Panic != nil:
		return fmt.Sprintf("panic: %v", r.Panic)
	case r.Err != nil:
		return r.Err.Error()
	}
	return ""
}

// postError returns err as Go's HTTP client reports it.
func postError(to string, err error) error {
	if already := (*url.Error)(nil); errors.As(err, &already) {
		return err
	}
	if broken := (*BrokenAnswerError)(nil); errors.As(err, &broken) {
		return err
	}
	return &url.Error{Op: "Post", URL: to, Err: err}
}

// timeoutError returns the error of a call whose time is up (W-159). cause is the error of the backend; it may be nil,
// or just the deadline error, if the time of the backend is virtual. If the HTTP client's own limit passed, the client
// adds that to the error.
func timeoutError(cause error, ofClient bool) error {
	wrapped, broken := (*url.Error)(nil), (*BrokenAnswerError)(nil)
	switch {
	case errors.As(cause, &broken):
		if ofClient {
			return &BrokenAnswerError{fmt.Errorf("%w (Client.Timeout or context cancellation while reading body)", broken.Err)}
		}
		return broken
	case errors.As(cause, &wrapped):
		cause = wrapped.Err
	default:
		cause = context.DeadlineExceeded
	}
	if ofClient {
		return fmt.Errorf("%w (Client.Timeout exceeded while awaiting headers)", cause)
	}
	return cause
}

// retryAfter reports whether the answer asks for another attempt, and after which time (W-162).
func (r result) retryAfter() (time.Duration, bool) {
	if r.status != http.StatusTooManyRequests && r.status < 500 {
		return 0, false
	}
	seconds, err := strconv.Atoi(r.header.Get("Retry-After"))
	return max(time.Duration(seconds)*time.Second, 0), err == nil
}
