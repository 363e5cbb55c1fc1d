package matcher

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// A Result says whether a hook applies to a request, and which part of its criteria decided this.
type Result struct {
	Applies bool
	Decided trace.Part

	// Rule is the index of the rule that matched, in Rules or in ExcludeRules; [trace.NoRule] if no rule had to match.
	Rule int
	// Resource and Kind are those in which the hook gets the object. They differ from those of the
	// request if an equivalent resource matched (W-105). They are set if the rules matched.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	// Denial is set if it cannot be decided whether the hook applies. The request is then refused, even if a webhook's
	// failurePolicy is Ignore. Cause is the underlying error, to which a policy applies its own failurePolicy (W-275).
	Denial *metav1.Status
	Cause  error

	// Evaluation is the result of the match conditions, if they were evaluated.
	Evaluation expression.Evaluation
}

func apply(h hit) Result {
	return Result{Applies: true, Decided: trace.Rules, Rule: h.rule, Resource: h.resource, Kind: h.kind}
}

func skip(p trace.Part) Result { return Result{Decided: p, Rule: trace.NoRule} }

// refuse returns a result that no failurePolicy can turn into a skip. cause carries a status.
func refuse(p trace.Part, cause error) Result {
	return Result{Decided: p, Rule: trace.NoRule, Denial: admission.StatusOf(cause), Cause: cause}
}
