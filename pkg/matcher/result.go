package matcher

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
)

// A Part is a part of the criteria, by the name of its field.
type Part string

const (
	NamespaceSelector Part = "namespaceSelector"
	ObjectSelector    Part = "objectSelector"
	ExcludeRules      Part = "excludeResourceRules"
	Rules             Part = "rules"
	MatchPolicy       Part = "matchPolicy" // Exact, where Equivalent would have matched
	MatchConditions   Part = "matchConditions"
)

// A Result says whether a hook applies to a request, and which part of its criteria
// decided.
type Result struct {
	Applies bool
	Decided Part

	// Rule is the position of the rule that matched, of those asked for or of those
	// excluded; -1 where none had to.
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

// anyRule stands for the rule that matched where none had to.
const anyRule = -1

func apply(h hit) Result {
	return Result{Applies: true, Decided: Rules, Rule: h.rule, Resource: h.resource, Kind: h.kind}
}

func skip(p Part) Result { return Result{Decided: p, Rule: anyRule} }

// refuse is a result that no failurePolicy can turn into a skip. cause carries a status.
func refuse(p Part, cause error) Result {
	return Result{Decided: p, Rule: anyRule, Denial: admission.StatusOf(cause), Cause: cause}
}
