// Package matcher decides whether a webhook or policy applies to a request.
//
// A match is never a bare bool: a [Result] says which condition decided, in the order in
// which kube-apiserver checks them (W-127), and [Matcher.Explain] puts it in one line that
// names the value seen. Start at [Compile] and [Matcher.Match]; where there are many
// hooks, an [Index] tells which of them are worth asking.
//
// The package calls nothing and does not know what its answer is used for: it neither
// converts objects, nor calls webhooks, nor evaluates what a policy validates.
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

// Criteria say to which requests a webhook, a policy or a binding applies, in the words
// of its configuration and with its defaults filled in.
type Criteria struct {
	// Rules say which resources and operations are meant; one of them has to match.
	Rules []admissionregistrationv1.NamedRuleWithOperations
	// NoRules is what it means that there are no Rules.
	NoRules NoRules
	// ExcludeRules take requests out again, whatever Rules say.
	ExcludeRules []admissionregistrationv1.NamedRuleWithOperations
	// MatchPolicy nil means Exact, as in the server.
	MatchPolicy *admissionregistrationv1.MatchPolicyType

	// Selectors match everything when empty, and nothing when nil.
	NamespaceSelector *metav1.LabelSelector
	ObjectSelector    *metav1.LabelSelector

	// Conditions nil means that there are none.
	Conditions *expression.Conditions
	// FailurePolicy decides what an error in Conditions means; nil is Fail (W-124).
	FailurePolicy *admissionregistrationv1.FailurePolicyType
}

// NoRules says what a hook without rules applies to.
type NoRules bool

const (
	NoRulesNothing    NoRules = false // a webhook without rules is never called (W-045)
	NoRulesEverything NoRules = true  // a binding without rules leaves it to its policy (W-272)
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

// Webhook returns the criteria of a webhook, the conditions of which were compiled.
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

// unnamed returns the rules of a webhook, which cannot ask for resource names.
func unnamed(rules []admissionregistrationv1.RuleWithOperations) []admissionregistrationv1.NamedRuleWithOperations {
	named := make([]admissionregistrationv1.NamedRuleWithOperations, len(rules))
	for i, r := range rules {
		named[i].RuleWithOperations = r
	}
	return named
}

// A World is what matching looks at beside the request.
type World struct {
	State     *cluster.State
	Resources *discovery.Resources

	// RulesFirst is the order of releases before 1.20: rules, and then selectors.
	RulesFirst bool
}

// A Matcher is compiled [Criteria]. It does not change, and can be used side by side.
type Matcher struct {
	namespaces    selector
	objects       selector
	rules         ruleSet
	exclude       ruleSet
	noRules       NoRules
	conditions    *expression.Conditions
	failurePolicy admissionregistrationv1.FailurePolicyType
}

// Compile prepares c. It never fails: a selector that cannot be parsed refuses the
// requests that it would have to be asked about (W-095).
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

// Match checks everything but the match conditions: steps 1 to 6 of W-127. Those are
// asked next, by [Matcher.Conditions], if the result applies.
//
// Selectors that cannot be evaluated are remembered, not reported at once: a hook whose
// rules do not match has no say, not even by its errors.
func (m *Matcher) Match(req admission.Request, w World) Result {
	if w.RulesFirst {
		return m.matchRulesFirst(req, w)
	}
	inNamespace, namespaceErr := m.namespaces.matchNamespace(&req, w.State)
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

// matchRulesFirst asks one after the other, and stops at the first that has a say.
func (m *Matcher) matchRulesFirst(req admission.Request, w World) Result {
	r := m.matchRules(&req, w)
	if !r.Applies {
		return r
	}
	inNamespace, err := m.namespaces.matchNamespace(&req, w.State)
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
