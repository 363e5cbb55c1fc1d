// Package matcher decides whether a webhook or policy applies to a request.
//
// A match is never a bare bool: a [Result] says which condition decided, in the order in which kube-apiserver checks
// them (W-127), and [Matcher.Explain] describes it in one line, together with the value that was compared. Start with
// [Compile] and [Matcher.Match]. If there are many hooks, an [Index] finds the few that can match.
//
// The package does not know what its answer is used for. It does not convert objects, call webhooks, or evaluate the
// validations of policies.
package matcher

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// Criteria say which requests a webhook, a policy or a binding applies to. The fields are those of its configuration,
// with defaults filled in.
type Criteria struct {
	// Rules select resources and operations. One of them has to match.
	Rules []admissionregistrationv1.NamedRuleWithOperations
	// NoRules is the meaning of an empty list of Rules.
	NoRules NoRules
	// ExcludeRules exclude requests, even if Rules match.
	ExcludeRules []admissionregistrationv1.NamedRuleWithOperations
	// MatchPolicy nil means Exact, as in the server.
	MatchPolicy *admissionregistrationv1.MatchPolicyType

	// Selectors match everything when empty, and nothing when nil.
	NamespaceSelector *metav1.LabelSelector
	ObjectSelector    *metav1.LabelSelector

	// Conditions are the match conditions. Nil: none.
	Conditions *expression.Conditions
	// FailurePolicy decides how an error in Conditions is handled. Nil: Fail (W-124).
	FailurePolicy *admissionregistrationv1.FailurePolicyType
}

// NoRules says which requests a hook without rules applies to.
type NoRules bool

const (
	NoRulesNothing    NoRules = false // a webhook without rules is never called (W-045)
	NoRulesEverything NoRules = true  // a binding without rules leaves the decision to its policy (W-272)
)

// Resources returns the criteria of a policy's matchConstraints or a binding's
// matchResources.
func Resources(r admissionregistrationv1.MatchResources) Criteria {
	return Criteria{
		Rules:             r.ResourceRules,
		NoRules:           NoRulesEverything,
		ExcludeRules:      r.ExcludeResourceRules,
		MatchPolicy:       r.MatchPolicy,
		NamespaceSelector: r.NamespaceSelector,
		ObjectSelector:    r.ObjectSelector,
	}
}

// Webhook returns the criteria of a webhook, given its compiled match conditions.
func Webhook(w admissionregistrationv1.ValidatingWebhook, conditions *expression.Conditions) Criteria {
	return Criteria{
		Rules:             unnamed(w.Rules),
		MatchPolicy:       w.MatchPolicy,
		NamespaceSelector: w.NamespaceSelector,
		ObjectSelector:    w.ObjectSelector,
		Conditions:        conditions,
		FailurePolicy:     w.FailurePolicy,
	}
}

// unnamed returns the rules of a webhook, which cannot select resource names.
func unnamed(rules []admissionregistrationv1.RuleWithOperations) []admissionregistrationv1.NamedRuleWithOperations {
	named := make([]admissionregistrationv1.NamedRuleWithOperations, len(rules))
	for i, r := range rules {
		named[i].RuleWithOperations = r
	}
	return named
}

// A World is what matching depends on besides the request.
type World struct {
	State     *cluster.State
	Resources *discovery.Resources // nil: no equivalent resources are known

	// RulesFirst checks rules before selectors, as releases before 1.20 do.
	RulesFirst bool

	// NamespacesNeeded refuses requests whose namespace does not exist even if the selector is empty, as releases
	// before 1.15 do (W-337).
	NamespacesNeeded bool
}

// A Matcher is compiled [Criteria]. It is immutable, so goroutines may share it.
type Matcher struct {
	namespaces    selector
	objects       selector
	rules         ruleSet
	exclude       ruleSet
	noRules       NoRules
	conditions    *expression.Conditions
	failurePolicy admissionregistrationv1.FailurePolicyType
}

// Compile compiles c. It never fails: a selector that cannot be parsed refuses the requests that it would have to
// decide about (W-095).
func Compile(c Criteria) *Matcher {
	equivalent := c.MatchPolicy != nil && *c.MatchPolicy == admissionregistrationv1.Equivalent
	m := &Matcher{
		namespaces:    compileSelector(c.NamespaceSelector),
		objects:       compileSelector(c.ObjectSelector),
		rules:         compileRules(c.Rules, equivalent),
		exclude:       compileRules(c.ExcludeRules, equivalent),
		noRules:       c.NoRules,
		conditions:    c.Conditions,
		failurePolicy: admissionregistrationv1.Fail,
	}
	if c.FailurePolicy != nil {
		m.failurePolicy = *c.FailurePolicy
	}
	return m
}

// Match checks everything except the match conditions: steps 1 to 6 of W-127. If the result applies, call
// [Matcher.Conditions] next.
//
// The error of a selector is reported only if the rules match: a hook whose rules do not match cannot refuse a request,
// not even because of an error.
func (m *Matcher) Match(req admission.Request, w World) Result {
	if w.RulesFirst {
		return m.matchRulesFirst(req, w)
	}
	inNamespace, namespaceErr := m.namespaces.matchNamespace(&req, w)
	if !inNamespace && namespaceErr == nil {
		return skip(trace.NamespaceSelector)
	}
	selected, objectErr := m.objects.matchObjects(&req)
	if !selected && objectErr == nil {
		return skip(trace.ObjectSelector)
	}
	r := m.matchRules(&req, w)
	switch {
	case !r.Applies:
		return r
	case namespaceErr != nil:
		return refuse(trace.NamespaceSelector, namespaceErr)
	case objectErr != nil:
		return refuse(trace.ObjectSelector, objectErr)
	}
	return r
}

// matchRulesFirst checks rules, then selectors, and stops at the first condition that decides.
func (m *Matcher) matchRulesFirst(req admission.Request, w World) Result {
	r := m.matchRules(&req, w)
	if !r.Applies {
		return r
	}
	inNamespace, err := m.namespaces.matchNamespace(&req, w)
	switch {
	case err != nil:
		return refuse(trace.NamespaceSelector, err)
	case !inNamespace:
		return skip(trace.NamespaceSelector)
	}
	selected, err := m.objects.matchObjects(&req)
	switch {
	case err != nil:
		return refuse(trace.ObjectSelector, err)
	case !selected:
		return skip(trace.ObjectSelector)
	}
	return r
}

func (m *Matcher) matchRules(req *admission.Request, w World) Result {
	t := targetOf(req)
	if excluded, ok := m.exclude.match(t, w.Resources); ok {
		return Result{Decided: trace.ExcludeRules, Rule: excluded.rule, Resource: excluded.resource, Kind: excluded.kind}
	}
	if len(m.rules.rules) == 0 && m.noRules == NoRulesEverything {
		return apply(hit{rule: trace.NoRule, resource: req.Resource, kind: req.Kind})
	}
	h, ok := m.rules.match(t, w.Resources)
	switch {
	case ok:
		return apply(h)
	case m.rules.matchesElsewhere(t, w.Resources):
		return skip(trace.MatchPolicy)
	}
	return skip(trace.Rules)
}
