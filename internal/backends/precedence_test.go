package backends_test

import (
	"testing"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// The most specific declaration counts; a webhook without one is answered by the last backends.
func TestPrecedence(t *testing.T) {
	fault, assumed := &dispatch.Mock{}, &dispatch.Mock{}
	declare := func(unmatched dispatch.Backend, patterns ...string) *backends.Backends {
		var declared scenario.Backends
		for _, pattern := range patterns {
			declared.List = append(declared.List, scenario.Backend{Webhook: pattern, Answers: []scenario.Answer{{}}})
		}
		b, err := backends.New(t.Context(), declared, backends.Options{Unmatched: unmatched})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	faults, err := dispatch.NewBackends(dispatch.Route{Webhook: "c/fails", Backend: fault})
	if err != nil {
		t.Fatal(err)
	}
	ofCase, loaded, ofSuite := declare(nil, "fails", "case"), declare(nil, "fails", "case", "loaded"), declare(assumed, "*d", "suite")
	all := backends.Precedence{First: faults, Case: ofCase, Loaded: loaded, Suite: ofSuite}
	for _, test := range []struct {
		of      backends.Precedence
		webhook string
		want    dispatch.Backend
		reason  string
	}{
		{all, "fails", fault, "a fault of the matrix comes before everything else"},
		{all, "case", ofCase.Backend("c", "case"), "a case comes before the loaded world"},
		{all, "loaded", loaded.Backend("c", "loaded"), "the loaded world comes before the suite"},
		{all, "suite", ofSuite.Backend("c", "suite"), "nothing else is declared"},
		{all, "other", assumed, "nothing is declared at all"},
		{backends.Precedence{Loaded: ofSuite}, "other", assumed, "without a suite the loaded world assumes"},
		{backends.Precedence{Case: ofCase, Suite: ofSuite}, "loaded", ofSuite.Backend("c", "loaded"), "only the suite is loaded"},
	} {
		if got := test.of.Backend("c", test.webhook); got != test.want {
			t.Errorf("%s: %v, want %v: %s", test.webhook, got, test.want, test.reason)
		}
	}
}
