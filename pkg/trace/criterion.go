package trace

import "strconv"

// A Part is one of the conditions that a webhook, a policy or a binding sets for requests, identified by the name of
// its field.
type Part string

const (
	NamespaceSelector Part = "namespaceSelector"
	ObjectSelector    Part = "objectSelector"
	ExcludeRules      Part = "excludeResourceRules"
	Rules             Part = "rules"
	MatchPolicy       Part = "matchPolicy" // is Exact, but Equivalent would have matched
	MatchConditions   Part = "matchConditions"
	Bindings          Part = "bindings" // no binding names the policy
	ParamRef          Part = "paramRef" // the object that the binding refers to does not exist
)

// NoRule is the Rule of a [Criterion] if no rule matched.
const NoRule = -1

// A Criterion identifies the condition that decided whether a hook applies to the request. [Hook.Because] and
// [Hook.Matched] describe it in words.
type Criterion struct {
	Part      Part // empty if the hook was left out for another reason, such as the round
	OfBinding bool // the part belongs to the binding, not to the policy
	Rule      int  // for Rules and ExcludeRules: the index of the rule that matched, or NoRule

	// Condition is the name of the match condition that decided. Failed means that this condition, or all of them
	// together, could not be evaluated.
	Condition string
	Failed    bool
}

// String returns the field that decided, e.g. rules[0], matchConditions[ours] or binding.objectSelector.
func (c Criterion) String() string {
	text := string(c.Part)
	switch {
	case c.Condition != "":
		text += "[" + c.Condition + "]"
	case (c.Part == Rules || c.Part == ExcludeRules) && c.Rule != NoRule:
		text += "[" + strconv.Itoa(c.Rule) + "]"
	}
	if c.OfBinding {
		text = "binding." + text
	}
	return text
}
