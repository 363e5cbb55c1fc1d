package trace_test

import (
	"testing"
	"time"

	"github.com/admsim/admsim/pkg/trace"
)

// What webhooks do in requests that the server sends to itself happens after the step began, one request after the other.
func TestSend(t *testing.T) {
	sent := trace.Sent{Admissions: []trace.Admission{{Elapsed: 3 * time.Second, Steps: []trace.Step{{
		Hooks: []trace.Hook{{Name: "asked", Called: true, Start: time.Second}, {Name: "skipped"}},
	}}}}}
	var step trace.Step
	step.Send(10*time.Second, sent)
	step.Send(10*time.Second, sent)
	if step.Duration != 6*time.Second {
		t.Errorf("the step took %v", step.Duration)
	}
	if len(step.Hooks) != 2 || len(step.Did().Sent) != 2 {
		t.Fatalf("the step has %d hooks and sent %d requests", len(step.Hooks), len(step.Did().Sent))
	}
	for i, want := range []time.Duration{10 * time.Second, 13 * time.Second} {
		if got := step.Did().Sent[i].Start; got != want {
			t.Errorf("request %d began at %v, want %v", i, got, want)
		}
		if got := step.Hooks[i].Start; got != want+time.Second {
			t.Errorf("the webhook was called at %v, want %v", got, want+time.Second)
		}
	}
	if got := sent.Admissions[0].Steps[0].Hooks[0].Start; got != time.Second {
		t.Errorf("in its own request, the webhook was called at %v", got)
	}
}
