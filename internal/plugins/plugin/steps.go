package plugin

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// Begin returns the step of a plugin that has no objection so far.
func Begin(req admission.Request) trace.Step {
	return trace.Step{Outcome: trace.Allowed, Before: req.Object, After: req.Object}
}

// Skip returns the step of a plugin that does not apply.
func Skip(step trace.Step, because string) trace.Step {
	step.Outcome, step.Because = trace.Skipped, because
	return step
}

// Allow returns the step of a plugin that checked the request and has no objection.
func Allow(step trace.Step, because string) trace.Step {
	step.Outcome, step.Because = trace.Allowed, because
	return step
}

// Change returns the step of a plugin that replaces the object of the request.
func Change(step trace.Step, object runtime.Object, because string) trace.Step {
	step.Outcome, step.Because, step.After = trace.Changed, because, object
	return step
}

// Deny returns the step of a plugin that refuses the request.
func Deny(step trace.Step, because string, status *metav1.Status) trace.Step {
	step.Outcome, step.Because, step.Denial = trace.Denied, because, status
	return step
}

// Forbid returns the usual refusal (ER-01), whose reason and message are the same text.
func Forbid(step trace.Step, req admission.Request, text string) trace.Step {
	return Deny(step, text, admission.Forbidden(req, text))
}

// Lacking adds a hint about an object that is missing from the cluster.
func Lacking(step trace.Step, kind, namespace, name string) trace.Step {
	step.Hint = fmt.Sprintf("add a %s %q to the manifests", kind, name)
	if namespace != "" {
		step.Hint = fmt.Sprintf("add a %s %q in namespace %q to the manifests", kind, name, namespace)
	}
	return step
}

// LackingNamespace records that the namespace of a request is missing. All plugins that need it look it up.
func LackingNamespace(step trace.Step, req admission.Request) trace.Step {
	step.LookUp(req.Elapsed, Namespaces, "", req.Namespace, false)
	return Lacking(step, "Namespace", "", req.Namespace)
}

// DenyWithoutNamespace refuses a request because its namespace does not exist: NotFound (404).
func DenyWithoutNamespace(step trace.Step, req admission.Request) trace.Step {
	err := apierrors.NewNotFound(Namespaces.GroupResource(), req.Namespace)
	return Deny(LackingNamespace(step, req), "the namespace does not exist", admission.StatusOf(err))
}

// DecidedBy records the object of the cluster that the step depends on.
func DecidedBy(step trace.Step, o cluster.Object) trace.Step {
	step.Source = o.Source
	return step
}
