package plugin

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// Begin is the step of a plugin that has nothing against the request so far.
func Begin(req admission.Request) trace.Step {
	return trace.Step{Outcome: trace.Allowed, Before: req.Object, After: req.Object}
}

// Skip is the step of a plugin that has nothing to say.
func Skip(step trace.Step, because string) trace.Step {
	step.Outcome, step.Because = trace.Skipped, because
	return step
}

// Allow is the step of a plugin that looked and has nothing against the request.
func Allow(step trace.Step, because string) trace.Step {
	step.Outcome, step.Because = trace.Allowed, because
	return step
}

// Change is the step of a plugin that makes another object of the request's.
func Change(step trace.Step, object runtime.Object, because string) trace.Step {
	step.Outcome, step.Because, step.After = trace.Changed, because, object
	return step
}

// Deny is the step of a plugin that refuses the request.
func Deny(step trace.Step, because string, status *metav1.Status) trace.Step {
	step.Outcome, step.Because, step.Denial = trace.Denied, because, status
	return step
}

// Forbid is the usual refusal (ER-01), for a reason that needs no other words.
func Forbid(step trace.Step, req admission.Request, text string) trace.Step {
	return Deny(step, text, admission.Forbidden(req, text))
}

// Lacking hints at an object that the cluster lacks.
func Lacking(step trace.Step, kind, namespace, name string) trace.Step {
	step.Hint = fmt.Sprintf("add a %s %q to the manifests", kind, name)
	if namespace != "" {
		step.Hint = fmt.Sprintf("add a %s %q in namespace %q to the manifests", kind, name, namespace)
	}
	return step
}

// DecidedBy notes the object of the cluster on which the step depends.
func DecidedBy(step trace.Step, o cluster.Object) trace.Step {
	step.Source = o.Source
	return step
}
