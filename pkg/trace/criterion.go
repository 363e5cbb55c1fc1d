package trace

import "strconv"

// A Part is a part of what a webhook, a policy or a binding asks of requests, by the name of its
// field.
type Part string

const (
	NamespaceSelector Part = "namespaceSelector"
	ObjectSelector    Part = "objectSelector"
	ExcludeRules      Part = "excludeResourceRules"
	Rules             Part = "rules"
	MatchPolicy       Part = "matchPolicy" // Exact, where Equivalent would have matched
	MatchConditions   Part = "matchConditions"
	Bindings          Part = "bindings" // of a policy: none names it
	ParamRef          Part = "paramRef" // of a binding: what it refers to does not exist
)

// NoRule stands for the rule of a [Criterion] where none matched.
const NoRule = -1

// A Criterion is what decided whether a hook applies to the request, as data. [Hook.Because] and
// [Hook.Matched] say it in words.
type Criterion struct {
	Part      Part // empty where the hook was left out for something else, such as its round
	OfBinding bool // it is a part of the binding, not of the policy
	Rule      int  // of Rules and ExcludeRules: the position of the one that matched, or NoRule

	// Condition is the name of the match condition that decided, Failed that it, or all of them
	// together, could not be evaluated.
	Condition string
	Failed    bool
}

// String names the field that decided, e.g. rules[0], matchConditions[ours], binding.objectSelector.
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
