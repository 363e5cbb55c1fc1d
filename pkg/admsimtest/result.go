package admsimtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/admsim/admsim/pkg/report"
)

// A Result is what the API server answered, with every step that led there: the same
// document as `admsim run -o json` prints.
type Result struct {
	*report.Result
	t testing.TB
}

// Admitted checks that the request was admitted, and returns r for further checks.
func (r *Result) Admitted() *Result {
	r.t.Helper()
	if !r.Allowed {
		r.fatalf("the request was denied: %s", r.Message())
	}
	return r
}

// Denied checks that the request was denied with a message that contains these words.
func (r *Result) Denied(words ...string) *Result {
	r.t.Helper()
	if r.Allowed {
		r.fatalf("the request was admitted")
	}
	for _, w := range words {
		if !strings.Contains(r.Message(), w) {
			r.fatalf("the message of the denial does not contain %q: %s", w, r.Message())
		}
	}
	return r
}

// DeniedByWebhook checks who denied the request: a webhook or policy of that name, or a
// plugin.
func (r *Result) DeniedByWebhook(name string) *Result {
	r.t.Helper()
	r.Denied()
	if by := *r.DeniedBy; name != by.Name && name != by.Configuration+"/"+by.Name && name != by.Plugin {
		r.fatalf("the request was denied by %s, not by %s", decider(by), name)
	}
	return r
}

func decider(by report.Decider) string {
	for _, name := range []string{by.Name, by.Plugin} {
		if name != "" {
			return name
		}
	}
	return "the API server"
}

// Warned checks that one of the warnings contains these words.
func (r *Result) Warned(words string) *Result {
	r.t.Helper()
	for _, w := range r.Warnings {
		if strings.Contains(w, words) {
			return r
		}
	}
	r.fatalf("no warning contains %q: %q", words, r.Warnings)
	return r
}

// Into reads the object of the answer into a Go value.
func (r *Result) Into(object any) *Result {
	r.t.Helper()
	if r.Object == nil {
		r.fatalf("the answer has no object")
	}
	if err := json.Unmarshal(r.Object, object); err != nil {
		r.fatalf("the object of the answer: %v", err)
	}
	return r
}

// Message is that of the denial, empty where there is none.
func (r *Result) Message() string {
	if r.Status == nil {
		return ""
	}
	return r.Status.Message
}

// Calls is how often a webhook was called, by name or configuration/name; in the second
// round, too.
func (r *Result) Calls(webhook string) (n int) {
	for _, a := range r.Admissions {
		for _, s := range a.Steps {
			for _, h := range s.Hooks {
				if h.Name == webhook || h.Configuration+"/"+h.Name == webhook {
					n += len(h.Calls)
				}
			}
		}
	}
	return n
}

// Trace is everything that happened, as `admsim run` prints it.
func (r *Result) Trace() string {
	var b strings.Builder
	p := report.NewPrinter(&b, report.Text, report.Options{})
	if err := p.Result(r.Result); err != nil {
		return err.Error()
	}
	if err := p.Close(); err != nil {
		return err.Error()
	}
	return b.String()
}

func (r *Result) fatalf(format string, args ...any) {
	r.t.Helper()
	r.t.Errorf(format, args...)
	r.t.Fatalf("what happened:\n%s", r.Trace())
}
