package lines

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// An Account says how the answer to one request came about and what is recorded about it, without secrets.
type Account struct {
	Counts document.Counts

	// Answer returns admsim's answer. It is built only when it is called.
	Answer func() (*document.Answer, error)

	// Recorded and Simulated are the bodies of the answers as they were compared: values that differ by chance are the
	// same in both. Both are nil if the answers agree; Recorded is also nil if no body was logged.
	Recorded, Simulated any

	// Calls returns what webhooks did when the request was recorded, as far as that is known. An audit log shows the
	// webhooks that may change objects, and those that ended a request or did not answer.
	Calls func() []Call
}

// A Call is what one webhook did when a request was recorded.
type Call struct {
	Phase string
	Round int
	Hook  report.Hook
}

// CallOf converts a recorded call to the form in which admsim's calls are shown.
func CallOf(c recording.Call) Call { return Call{Phase: c.Phase, Round: c.Round, Hook: hookOf(c)} }

func hookOf(c recording.Call) report.Hook {
	h := report.Hook{Configuration: c.Configuration, Name: c.Webhook, Outcome: string(trace.Allowed)}
	switch {
	case c.Denied != "":
		h.Outcome, h.Status = string(trace.Denied), &metav1.Status{Message: c.Denied}
	case c.Failed != "":
		h.Outcome, h.Status = string(trace.Failed), &metav1.Status{Message: c.Failed}
	case c.FailedOpen:
		h.Outcome = string(trace.FailedOpen)
	case c.Mutated:
		h.Outcome = string(trace.Changed)
		if h.Changes = patched(c.Patch); h.Changes == nil {
			h.Because = "how is not recorded"
		}
	}
	return h
}

// patched returns the operations of a JSON patch.
func patched(operations json.RawMessage) (all []report.Change) {
	var list []patch.Operation
	_ = json.Unmarshal(operations, &list) // nothing is shown of an invalid patch
	for _, o := range list {
		all = append(all, report.Change{Op: o.Op, Path: o.Path, Old: o.Old, Value: o.Value})
	}
	return all
}
