package dispatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// defaultMaxAnswer is how much of an answer is kept by default. The server keeps all of it, whatever its size.
const defaultMaxAnswer = 32 << 20

// A poster makes calls in real time. Contexts enforce deadlines; now only measures how long an answer took, and may be
// nil.
type poster struct {
	maxAnswer int64
	endless   bool // no timeouts
	now       func() time.Time
	header    http.Header // of every request
}

func newPoster(maxAnswer int64, now func() time.Time) poster {
	if maxAnswer <= 0 {
		maxAnswer = defaultMaxAnswer
	}
	return poster{maxAnswer: maxAnswer, now: now, header: http.Header{ // W-142
		"Accept":       {runtime.ContentTypeJSON + ", */*"},
		"Content-Type": {runtime.ContentTypeJSON},
		"User-Agent":   {"kube-apiserver-admission"},
	}}
}

// A doer is an [http.Client], or behaves like one. It may change the requests that it gets.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// post makes one call with client, after the pause in c.
func (p poster) post(ctx context.Context, client doer, c Call) Reply {
	if admission.CourseOf(ctx).IsOther() {
		return Reply{Err: &NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: "it is not asked about what did not happen"}}
	}
	if err := pause(ctx, c.After); err != nil {
		return Reply{Err: err}
	}
	// The context also enforces the limit of the HTTP client (W-156).
	if !p.endless {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}

	var start time.Time
	if p.now != nil {
		start = p.now()
	}
	reply := p.exchange(ctx, client, c)
	switch {
	case p.endless:
	case ctx.Err() != nil && reply.Body == nil:
		reply.Latency = c.Timeout
	case p.now != nil: // an answer in time is never late, whatever the clock says
		reply.Latency = min(p.now().Sub(start), c.Timeout)
	}
	return reply
}

// request returns the request to send.
func (p poster) request(ctx context.Context, c Call) (*http.Request, error) {
	body, err := c.Body()
	if err != nil {
		return nil, &NoAnswerError{c.Configuration, c.Webhook, err.Error(), err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = p.header // round trippers do not modify it
	if c.credentials != nil { // their client sets no User-Agent
		request.Header = p.header.Clone()
		request.Header.Del("User-Agent")
	}
	return request, nil
}

func (p poster) exchange(ctx context.Context, client doer, c Call) Reply {
	request, err := p.request(ctx, c)
	if err != nil {
		return Reply{Err: err}
	}
	response, err := client.Do(request)
	if err != nil {
		return Reply{Err: err}
	}
	defer func() { _ = response.Body.Close() }()
	// A server that waits for the client to leave may answer now, and net/http may still read that.
	if late := ctx.Err(); late != nil {
		return Reply{Err: postError(c.URL, late)}
	}
	reply := Reply{Status: response.StatusCode, Header: response.Header}
	if reply.Body, err = p.read(response); err == nil && ctx.Err() != nil {
		reply.Body, err = nil, ctx.Err()
	}
	if err != nil {
		// If the answer asks for another call, the server does not need the rest.
		if _, again := (result{status: reply.Status, header: reply.Header}).retryAfter(); again {
			return reply
		}
		if errors.Is(err, errTooLong) {
			reason := fmt.Sprintf("%v than the %d bytes that admsim reads", err, p.maxAnswer)
			return Reply{Err: &NoAnswerError{c.Configuration, c.Webhook, reason, err}}
		}
		reply.Err = &BrokenAnswerError{err}
	}
	return reply
}

var errTooLong = errors.New("the answer is longer")

// read reads the whole body. An answer that is too long is read to the end as well: if it never ends, the call ends at
// its deadline, as on the server.
func (p poster) read(response *http.Response) ([]byte, error) {
	if body, ok := response.Body.(*handlerBody); ok {
		if text, whole := body.whole(); whole && int64(len(text)) <= p.maxAnswer {
			return text, nil
		}
	}
	var text bytes.Buffer
	if n := response.ContentLength; n > 0 && n <= p.maxAnswer {
		text.Grow(int(n) + bytes.MinRead) // room to detect the end without growing
	}
	_, err := text.ReadFrom(io.LimitReader(response.Body, p.maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if int64(text.Len()) <= p.maxAnswer {
		return text.Bytes(), nil
	}
	if !p.endless {
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return nil, err
		}
	}
	return nil, errTooLong
}

// pause waits for d, but not longer than ctx.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
