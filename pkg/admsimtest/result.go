package admsimtest

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Result is the answer of the API server, with every step that led to it. It is the same document that `admsim run -o
// json` prints.
type Result struct {
	*report.Result
	t      testing.TB
	scheme *runtime.Scheme

	before, after *simulator.Simulator // the cluster before and after the request
}

// Admitted checks that the request was admitted. Like all checks it returns r, for further checks.
func (r *Result) Admitted() *Result {
	r.t.Helper()
	if !r.Allowed {
		r.fatalf("the request was denied: %s", r.Message())
	}
	return r
}

// Denied checks that the request was denied, with a message that contains all words.
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

// Warned checks that one of the warnings contains words.
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

// Message returns the message of the denial; it is empty if the request was admitted.
func (r *Result) Message() string {
	if r.Status == nil {
		return ""
	}
	return r.Status.Message
}

// Trace returns everything that happened, in the format of `admsim run`.
func (r *Result) Trace() string {
	text, err := formats.ResultText(r.Result)
	if err != nil {
		return err.Error()
	}
	return text
}

func (r *Result) fatalf(format string, args ...any) {
	r.t.Helper()
	r.t.Errorf("%s", inert.Text(fmt.Sprintf(format, args...)))
	r.t.Fatalf("what happened:\n%s", r.Trace())
}
