package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/simulator"
)

// newFaulty returns a server with these faults.
func newFaulty(t *testing.T, rules ...string) *server {
	t.Helper()
	var plan []fault.Rule
	for _, text := range rules {
		r, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		plan = append(plan, r)
	}
	return newServerWith(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap())}, store.Options{}, serve.Options{Faults: fault.New(plan...)})
}

// try does the same as do, but allows for no answer.
func (s *server) try(method, path, body string, header ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(s.request(method, path, body, header...).WithContext(ctx))
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, text}, err
}

// A fault replaces the answer, and the request is not executed, unless only the answer is lost.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		fault string
		code  int // 0: no answer
		text  string
		done  bool
	}{
		{"create:configmaps:conflict", 409, `Operation cannot be fulfilled on configmaps: the object has been modified; please apply your changes to the latest version and try again`, false},
		{"create:configmaps:throttled,retryAfter=7", 429, "Too many requests, please try again later.\n", false},
		{"create:configmaps:unavailable,retryAfter=7", 503, `"reason":"ServiceUnavailable"`, false},
		{"create:configmaps:timeout", 504, "request did not complete within requested timeout - context deadline exceeded", false},
		{"create:configmaps:error", 500, `"reason":"InternalError"`, false},
		{"create:configmaps:expired", 410, `"reason":"Expired"`, false},
		{"create:configmaps:closed", 0, "", false},
		{"create:configmaps:stalled", 0, "", false},
		{"create:configmaps:lost", 0, "", true},
		{"create:configmaps:latency=50ms", 201, `"name":"a"`, true},
		{"update:configmaps:error", 201, `"name":"a"`, true},
	} {
		s := newFaulty(t, tt.fault)
		began := time.Now()
		a, err := s.try("POST", maps, `{"metadata":{"name":"a"}}`)
		if tt.code == 0 && err == nil || tt.code != 0 && err != nil || a.code != tt.code || !strings.Contains(strings.ReplaceAll(string(a.body), `configmaps \"\"`, "configmaps"), tt.text) {
			t.Errorf("%s: %d %s, %v; want %d %s", tt.fault, a.code, a.body, err, tt.code, tt.text)
		}
		if strings.Contains(tt.fault, "retryAfter") && a.header.Get("Retry-After") != "7" {
			t.Errorf("%s: Retry-After %q", tt.fault, a.header.Get("Retry-After"))
		}
		if strings.Contains(tt.fault, "latency") && time.Since(began) < 50*time.Millisecond {
			t.Errorf("%s: after %v", tt.fault, time.Since(began))
		}
		if exists := s.do("GET", maps+"/a", "").code == 200; exists != tt.done {
			t.Errorf("%s: done is %v, want %v", tt.fault, exists, tt.done)
		}
	}
}

// A watch breaks after the number of events in the rule.
func TestWatchFaults(t *testing.T) {
	for _, tt := range []struct {
		fault, want string
		broken      bool // the connection, not just the watch
		late        bool // until the client gives up
	}{
		{"watch:configmaps:ended,events=2", "ADDED a, ADDED b", false, false},
		{"watch:configmaps:closed,events=3", "ADDED a, ADDED b, ADDED kube-root-ca.crt", true, false},
		{"watch:configmaps:closed,events=4", "ADDED a, ADDED b, ADDED kube-root-ca.crt, ADDED c", true, false},
		{"watch:configmaps:closed", "", true, false},
		{"watch:configmaps:expired,events=1", "ADDED a, ERROR 410", false, false},
		{"watch:configmaps:error,events=1", "ADDED a, ERROR 500", false, false},
		{"watch:configmaps:stalled,events=1", "ADDED a", true, true},
		{"watch:secrets:ended,events=1", "ADDED a, ADDED b, ADDED kube-root-ca.crt, ADDED c", true, true},
	} {
		s := newFaulty(t, tt.fault)
		s.create("a", "")
		s.create("b", "")
		time.AfterFunc(50*time.Millisecond, func() { s.do("POST", maps, `{"metadata":{"name":"c"}}`) })
		began := time.Now()
		a, err := s.try("GET", maps+"?watch=1", "")
		if got := summary(eventsIn(t, a.body)); got != tt.want || (err != nil) != tt.broken || time.Since(began) >= 300*time.Millisecond != tt.late {
			t.Errorf("%s: %s, %v after %v; want %s", tt.fault, got, err, time.Since(began), tt.want)
		}
	}
	s := newFaulty(t, "watch:configmaps:throttled,times=1")
	if a, err := s.try("GET", maps+"?watch=1", ""); err != nil || a.code != 429 || a.header.Get("Retry-After") != "1" {
		t.Errorf("a throttled watch: %d %s, %v", a.code, a.body, err)
	}
	if a, _ := s.try("GET", maps+"?watch=1", ""); a.code != 200 {
		t.Errorf("the next watch: %d %s", a.code, a.body)
	}
}

// Every other update conflicts. A client that retries succeeds.
func TestEveryOther(t *testing.T) {
	s := newFaulty(t, "patch:configmaps:conflict,every=2", "*:*:error,user=nobody")
	s.create("a", "")
	var codes []int
	for i := range 5 {
		codes = append(codes, s.do("PATCH", maps+"/a", fmt.Sprintf(`{"data":{"n":"%d"}}`, i), "Content-Type", "application/merge-patch+json").code)
	}
	if got := fmt.Sprint(codes); got != "[200 409 200 409 200]" {
		t.Errorf("codes %s", got)
	}
}
