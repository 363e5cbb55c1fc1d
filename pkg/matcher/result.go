package matcher

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// A Result says whether a hook applies to a request, and which part of its criteria
// decided.
type Result struct {
	Applies bool
	Decided trace.Part

	// Rule is the position of the rule that matched, of those asked for or of those
	// excluded; [trace.NoRule] where none had to.
	Rule int
	// Resource and Kind are what the hook is to be shown. They differ from those of the
	// request where an equivalent resource matched (W-105). Set where the rules matched.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	// Denial is set where it cannot be told whether the hook applies: the request is
	// refused, whatever a webhook's failurePolicy says. Cause is the error in it, which a
	// policy honours its own failurePolicy for (W-275).
	Denial *metav1.Status
	Cause  error

	// Evaluation is what the match conditions said, where they were asked.
	Evaluation expression.Evaluation
}

func apply(h hit) Result {
	return Result{Applies: true, Decided: trace.Rules, Rule: h.rule, Resource: h.resource, Kind: h.kind}
}

func skip(p trace.Part) Result { return Result{Decided: p, Rule: trace.NoRule} }

// refuse is a result that no failurePolicy can turn into a skip. cause carries a status.
func refuse(p trace.Part, cause error) Result {
	return Result{Decided: p, Rule: trace.NoRule, Denial: admission.StatusOf(cause), Cause: cause}
}
