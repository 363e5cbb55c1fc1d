package dispatch

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

func hangs() Backend {
	return backendFunc(func(Call) Reply { return Reply{Latency: Never} })
}

func TestTimeout(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		rule    string
		seconds *int32        // of the hook
		limit   time.Duration // of the request; 0: none
		elapsed time.Duration
		ignore  bool

		asked   string // in the URL; empty: not called
		took    time.Duration
		outcome trace.Outcome
		text    string // in the denial
	}{
		{"W-159", new(int32(10)), 34 * s, 0, false, "10s", 10 * s, trace.Failed, `Post "https://hook.example/mutate?timeout=10s": context deadline exceeded`},
		{"W-156: no limit at all", nil, 0, 0, false, "30s", 30 * s, trace.Failed, `Post "https://hook.example/mutate?timeout=30s": context deadline exceeded`},
		{"W-159: the client's own limit", nil, 34 * s, 0, false, "34s", 30 * s, trace.Failed, `Post "https://hook.example/mutate?timeout=34s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`},
		{"W-157: the time that others left", new(int32(30)), 34 * s, 30 * s, false, "4s", 4 * s, trace.Failed, `timeout=4s": context deadline exceeded`},
		{"W-158: rounded up", new(int32(30)), 34 * s, 31500 * time.Millisecond, false, "3s", 2500 * time.Millisecond, trace.Failed, `timeout=3s": context deadline exceeded`},
		{"W-161: nothing left", new(int32(30)), 34 * s, 34 * s, false, "", 0, trace.Failed, `"h.example.com": failed to call webhook: context deadline exceeded`},
		{"W-160: the hook's time is over, not the request's", new(int32(10)), 34 * s, 0, true, "10s", 10 * s, trace.FailedOpen, ""},
		{"W-160: the request's time is over", new(int32(30)), 5 * s, 0, true, "5s", 5 * s, trace.Failed, "Timeout: request did not complete within requested timeout"},
		{"W-160: the time was over before", new(int32(30)), 5 * s, 5 * s, true, "", 0, trace.Failed, "Timeout: request did not complete within requested timeout"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			request := podRequest()
			request.Timeout, request.Elapsed = tt.limit, tt.elapsed
			h := mutatingHook(hangs())
			h.TimeoutSeconds = tt.seconds
			if tt.ignore {
				h = ignoring(h)
			}
			o, err := New(counter()).Call(t.Context(), h, reviewOf(request))
			if err != nil {
				t.Fatal(err)
			}
			if o.Hook.Outcome != tt.outcome || o.Hook.Duration != tt.took || o.Hook.Start != tt.elapsed {
				t.Errorf("%s from %v for %v, want %s from %v for %v", o.Hook.Outcome, o.Hook.Start, o.Hook.Duration, tt.outcome, tt.elapsed, tt.took)
			}
			asked := ""
			if len(o.Hook.Calls) > 0 {
				_, asked, _ = strings.Cut(o.Hook.Calls[0].URL, "?timeout=")
			}
			if asked != tt.asked || o.Hook.Called != (tt.asked != "") {
				t.Errorf("called with timeout=%q, want %q", asked, tt.asked)
			}
			if d := o.Hook.Denial; (tt.text != "") != (d != nil) || d != nil && !strings.Contains(d.Message, tt.text) {
				t.Errorf("denial %v, want it to say %s", d, tt.text)
			}
		})
	}
}

// A chain of webhooks that hang takes only virtual time.
func TestHangingChain(t *testing.T) {
	d := New(counter())
	request := podRequest()
	request.Timeout = 34 * time.Second
	var spent []string
	for {
		h := ignoring(mutatingHook(hangs()))
		o, err := d.Call(t.Context(), h, reviewOf(request))
		if err != nil {
			t.Fatal(err)
		}
		spent = append(spent, fmt.Sprintf("%v %s", o.Hook.Duration, o.Hook.Outcome))
		if request.Elapsed += o.Hook.Duration; o.Hook.Outcome.Ends() {
			break
		}
	}
	want := []string{"10s failed-open", "10s failed-open", "10s failed-open", "4s failed"}
	if diff := cmp.Diff(want, spent); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
}

func TestLatency(t *testing.T) {
	for _, tt := range []struct {
		latency time.Duration
		outcome trace.Outcome
		took    time.Duration
	}{
		{-time.Second, trace.Allowed, 0},
		{0, trace.Allowed, 0},
		{300 * time.Millisecond, trace.Allowed, 300 * time.Millisecond},
		{10 * time.Second, trace.Allowed, 10 * time.Second},
		{10*time.Second + 1, trace.Failed, 10 * time.Second},
	} {
		o := callPod(t, mutatingHook(backendFunc(func(c Call) Reply {
			r := says(`"allowed":true`).Call(t.Context(), c)
			r.Latency = tt.latency
			return r
		})))
		if o.Hook.Outcome != tt.outcome || o.Hook.Duration != tt.took {
			t.Errorf("latency %v: %s after %v, want %s after %v", tt.latency, o.Hook.Outcome, o.Hook.Duration, tt.outcome, tt.took)
		}
	}
}

// A backend that measured its own timeout is a little late; this is not recorded.
func TestMeasuredTimeout(t *testing.T) {
	for _, latency := range []time.Duration{9999 * time.Millisecond, 10001 * time.Millisecond} {
		o := callPod(t, mutatingHook(backendFunc(func(Call) Reply {
			return Reply{Err: fmt.Errorf("reading: %w", context.DeadlineExceeded), Latency: latency}
		})))
		want := internalError("h.example.com", `failed to call webhook: Post "https://hook.example/mutate?timeout=10s": context deadline exceeded`)
		if diff := cmp.Diff(want, o.Hook.Denial); diff != "" || o.Hook.Duration != 10*time.Second {
			t.Errorf("measured %v: took %v, denial (-want +got):\n%s", latency, o.Hook.Duration, diff)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	busy := func(status int, after string, times int) Backend {
		return backendFunc(func(c Call) Reply {
			if c.Number < times {
				return Reply{Status: status, Header: http.Header{"Retry-After": {after}}, Latency: time.Second}
			}
			return says(`"allowed":true`).Call(t.Context(), c)
		})
	}
	for _, tt := range []struct {
		rule     string
		backend  Backend
		attempts int
		took     time.Duration
		text     string // in the denial; empty: allowed
	}{
		{"W-162: twice", busy(503, "1", 2), 3, 4 * time.Second, ""},
		{"W-162: too many requests", busy(429, "0", 1), 2, time.Second, ""},
		{"W-162: the last status counts", busy(503, "0", 99), 10, 10 * time.Second, "context deadline exceeded"},
		{"W-162: no integer", busy(503, "soon", 99), 1, time.Second, "the server is currently unable to handle the request"},
		{"W-162: another status", busy(404, "1", 99), 1, time.Second, "the server could not find the requested resource"},
		{"W-162: a pause that is too long", busy(500, "9", 99), 1, 10 * time.Second, `Post "https://hook.example/mutate?timeout=10s": context deadline exceeded`},
		{"W-162: eleven attempts", backendFunc(func(Call) Reply {
			return Reply{Status: 503, Header: http.Header{"Retry-After": {"0"}}}
		}), 11, 0, "the server is currently unable to handle the request"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			o := callPod(t, mutatingHook(tt.backend))
			if len(o.Hook.Calls) != tt.attempts || o.Hook.Duration != tt.took {
				t.Errorf("%d attempts in %v, want %d in %v", len(o.Hook.Calls), o.Hook.Duration, tt.attempts, tt.took)
			}
			for _, c := range o.Hook.Calls[1:] { // with the same uid (W-134)
				if diff := cmp.Diff(string(o.Hook.Calls[0].Review.Bytes()), string(c.Review.Bytes())); diff != "" {
					t.Errorf("the review changed:\n%s", diff)
				}
			}
			if d := o.Hook.Denial; (tt.text != "") != (d != nil) || d != nil && !strings.Contains(d.Message, tt.text) {
				t.Errorf("denial %v, want it to say %q", d, tt.text)
			}
		})
	}
}

// The numbers of calls continue in the second round and over retries.
func TestNumber(t *testing.T) {
	var numbers []int
	h := mutatingHook(backendFunc(func(c Call) Reply {
		numbers = append(numbers, c.Number)
		return Reply{Status: 503, Header: http.Header{"Retry-After": {"4"}}}
	}))
	h.Earlier = 3
	callPod(t, h)
	if diff := cmp.Diff([]int{3, 4, 5}, numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

func TestRemaining(t *testing.T) {
	var timeouts []time.Duration
	h := mutatingHook(backendFunc(func(c Call) Reply {
		timeouts = append(timeouts, c.Timeout)
		return Reply{Status: 503, Header: http.Header{"Retry-After": {"4"}}}
	}))
	request := admission.Request{Timeout: 9 * time.Second}
	if _, err := New(counter()).Call(t.Context(), h, reviewOf(request)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{9 * time.Second, 5 * time.Second, time.Second}, timeouts); diff != "" {
		t.Errorf("remaining time for the backend (-want +got):\n%s", diff)
	}
}
