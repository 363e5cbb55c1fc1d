package whatif

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// hookOf is the actor that a hook of a step is.
func hookOf(step trace.Step, h trace.Hook) document.Actor {
	return document.Actor{Plugin: step.Plugin, Configuration: h.Configuration, Name: h.Name, Round: step.Round, Source: h.Source}
}

// decider is who ended a request that was denied.
func decider(r *simulator.Result) document.Actor {
	step, hook := r.Decider()
	switch {
	case step == nil:
		return document.Actor{}
	case hook == nil:
		return document.Actor{Plugin: step.Plugin, Source: step.Source}
	}
	return hookOf(*step, *hook)
}

// allowed reports whether the request was let in.
func allowed(r *simulator.Result) bool { return r.Status() == nil }

// message is why a request was denied.
func message(r *simulator.Result) string {
	if s := r.Status(); s != nil {
		return s.Message
	}
	return ""
}

// notAdmitted is the error about a request that the server refuses before admission, at the first
// slip in its file that the refusal speaks of.
func notAdmitted(asked world.Asked, r *simulator.Result) error {
	e := &scenario.Error{Source: asked.From.Source, Message: "the request does not come to admission: " + message(r)}
	if slips := asked.From.Slips([]string{message(r)}, asked.Simulator.View().Types()); len(slips) > 0 {
		e.Source, e.Hint = slips[0].Source, cmp.Or(slips[0].Hint, slips[0].Message)
	}
	return e
}

// elapsed is how long the server took for a request.
func elapsed(r *simulator.Result) (sum time.Duration) {
	for _, a := range r.Admissions {
		sum += a.Elapsed
	}
	return sum
}

// object is what became of the object of a request.
func object(r *simulator.Result) runtime.Object {
	if len(r.Admissions) == 1 {
		return r.Admissions[0].Object
	}
	return r.Object
}

// eachHook calls f for every webhook and policy in the trace of a request.
func eachHook(r *simulator.Result, f func(trace.Step, trace.Hook)) {
	for _, a := range r.Admissions {
		for _, step := range a.Steps {
			for _, h := range step.Hooks {
				f(step, h)
			}
		}
	}
}

// The plugins that call webhooks.
const (
	mutatingWebhooks   = "MutatingAdmissionWebhook"
	validatingWebhooks = "ValidatingAdmissionWebhook"
)

// validatingPolicies is the plugin that asks policies whether they have something against a
// request.
const validatingPolicies = "ValidatingAdmissionPolicy"

// isWebhook reports whether the hooks of a step are webhooks, not policies.
func isWebhook(step trace.Step) bool {
	return step.Plugin == mutatingWebhooks || step.Plugin == validatingWebhooks
}
