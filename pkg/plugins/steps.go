package plugins

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// begin is the step of a plugin that has nothing against the request so far.
func begin(req admission.Request) trace.Step {
	return trace.Step{Outcome: trace.Allowed, Before: req.Object, After: req.Object}
}

// skip is the step of a plugin that has nothing to say.
func skip(step trace.Step, because string) trace.Step {
	step.Outcome, step.Because = trace.Skipped, because
	return step
}

// allow is the step of a plugin that looked and has nothing against the request.
func allow(step trace.Step, because string) trace.Step {
	step.Outcome, step.Because = trace.Allowed, because
	return step
}

// change is the step of a plugin that makes another object of the request's.
func change(step trace.Step, object runtime.Object, because string) trace.Step {
	step.Outcome, step.Because, step.After = trace.Changed, because, object
	return step
}

// deny is the step of a plugin that refuses the request.
func deny(step trace.Step, because string, status *metav1.Status) trace.Step {
	step.Outcome, step.Because, step.Denial = trace.Denied, because, status
	return step
}

// forbid is the usual refusal (ER-01), for a reason that needs no other words.
func forbid(step trace.Step, req admission.Request, text string) trace.Step {
	return deny(step, text, admission.Forbidden(req, text))
}

// lacking hints at an object that the cluster lacks.
func lacking(step trace.Step, kind, namespace, name string) trace.Step {
	step.Hint = fmt.Sprintf("add a %s %q to the manifests", kind, name)
	if namespace != "" {
		step.Hint = fmt.Sprintf("add a %s %q in namespace %q to the manifests", kind, name, namespace)
	}
	return step
}

// decidedBy notes the object of the cluster on which the step depends.
func decidedBy(step trace.Step, o cluster.Object) trace.Step {
	step.Source = o.Source
	return step
}
