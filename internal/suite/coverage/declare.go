package coverage

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/space/syntax"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// Hooks are the webhooks and policies of one world, by place and name.
type Hooks struct {
	all map[string]*hookParts

	rulesFirst bool // webhooks: selectors are matched after the rules, as in releases before 1.20
}

// hookParts are the parts of a webhook, policy or binding that can be reached.
type hookParts struct {
	of, source string
	rules      string // the field that lists them
	policy     string // its failurePolicy
	policyAt   string // the place of the failurePolicy

	bindings map[string]*hookParts // of a policy, by name
}

func (h *hookParts) key(p outcome.Part, what, branch string) partKey {
	return partKey{p, h.of, what, branch, h.source}
}

// rule returns the key of a rule in the list with that name.
func (h *hookParts) rule(list string, i int) partKey {
	return h.key(outcome.RulePart, fmt.Sprintf("%s[%d]", list, i), "")
}

// Names of fields that list rules.
const (
	rulesField    = "rules"
	resourceRules = "resourceRules"
	excludeRules  = "excludeResourceRules"
)

// Declare adds the parts of a world that can be reached, and returns its webhooks and policies.
func (l *Ledger) Declare(in *simulator.Simulator) *Hooks {
	hooks := &Hooks{all: map[string]*hookParts{}, rulesFirst: !in.Release().Has(kubeversion.SelectorsFirst)}
	for o := range in.WebhookConfigurations() {
		for i, w := range objects.Webhooks(o.Object) {
			hooks.add(l.webhook(o, fmt.Sprintf("webhooks[%d]", i), w))
		}
	}
	policies, lost := in.Policies()
	for _, p := range policies {
		hooks.add(l.policy(p))
	}
	for _, b := range lost {
		l.binding(b)
	}
	return hooks
}

func (hooks *Hooks) add(h *hookParts) { hooks.all[h.source+h.of] = h }

func (l *Ledger) webhook(o cluster.Object, place string, w objects.Webhook) *hookParts {
	h := &hookParts{
		of: w.Configuration + "/" + w.Name, source: o.PlaceOf(place), rules: rulesField,
		policy: failurePolicy(w.FailurePolicy), policyAt: o.PlaceOf(place + ".failurePolicy"),
	}
	at := func(field string) string { return o.PlaceOf(place + "." + field) }
	l.part(h.key(outcome.WebhookPart, "", ""), h.source)
	l.rules(h, rulesField, len(w.Rules), at)
	l.selectors(h, w.NamespaceSelector, w.ObjectSelector, at)
	l.conditions(h, w.MatchConditions, at)
	l.part(h.key(outcome.FailurePolicyPart, "", h.policy), h.policyAt)
	return h
}

// rules adds the rules of a list, each with its place.
func (l *Ledger) rules(h *hookParts, list string, n int, at func(field string) string) {
	for i := range n {
		l.part(h.rule(list, i), at(fmt.Sprintf("%s[%d]", list, i)))
	}
}

func (l *Ledger) selectors(h *hookParts, namespaces, objects *metav1.LabelSelector, at func(field string) string) {
	for name, s := range map[string]*metav1.LabelSelector{"namespaceSelector": namespaces, "objectSelector": objects} {
		if asks(s) {
			l.part(h.key(outcome.SelectorPart, name, matched), at(name))
			l.part(h.key(outcome.SelectorPart, name, notMatched), at(name))
		}
	}
}

// asks reports whether a selector selects anything less than everything.
func asks(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

func (l *Ledger) conditions(h *hookParts, conditions []admissionregistrationv1.MatchCondition, at func(field string) string) {
	for i, c := range conditions {
		place := at(fmt.Sprintf("matchConditions[%d]", i))
		l.part(h.key(outcome.ConditionPart, c.Name, isTrue), place)
		l.part(h.key(outcome.ConditionPart, c.Name, isFalse), place)
	}
}

func failurePolicy(p *admissionregistrationv1.FailurePolicyType) string {
	if p == nil {
		return string(admissionregistrationv1.Fail)
	}
	return string(*p)
}

func (l *Ledger) policy(p simulator.Policy) *hookParts {
	h := &hookParts{of: p.Name, source: p.PlaceOf(""), rules: resourceRules, bindings: map[string]*hookParts{}}
	at := func(field string) string { return p.PlaceOf("spec." + field) }
	l.part(h.key(outcome.PolicyPart, "", ""), h.source)
	switch o := p.Object.Object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		l.declared(h, o.Spec.MatchConstraints, o.Spec.MatchConditions, o.Spec.FailurePolicy, at)
		l.validations(h, o.Spec.Validations, at)
		l.annotations(h, o.Spec.AuditAnnotations, at)
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		l.declared(h, o.Spec.MatchConstraints, o.Spec.MatchConditions, o.Spec.FailurePolicy, at)
		for i := range o.Spec.Mutations {
			what := fmt.Sprintf("mutations[%d]", i)
			l.part(h.key(outcome.MutationPart, what, ""), at(what))
		}
	}
	for _, b := range p.Bindings {
		h.bindings[b.Name] = l.binding(b)
	}
	return h
}

// declared adds the parts that policies of both kinds have.
func (l *Ledger) declared(
	h *hookParts, constraints *admissionregistrationv1.MatchResources, conditions []admissionregistrationv1.MatchCondition,
	failure *admissionregistrationv1.FailurePolicyType, at func(field string) string,
) {
	h.policy, h.policyAt = failurePolicy(failure), at("failurePolicy")
	l.resources(h, constraints, func(field string) string { return at("matchConstraints." + field) })
	l.conditions(h, conditions, at)
}

// resources adds the matchConstraints of a policy or the matchResources of a binding.
func (l *Ledger) resources(h *hookParts, r *admissionregistrationv1.MatchResources, at func(field string) string) {
	if r == nil {
		return
	}
	l.rules(h, resourceRules, len(r.ResourceRules), at)
	l.rules(h, excludeRules, len(r.ExcludeResourceRules), at)
	l.selectors(h, r.NamespaceSelector, r.ObjectSelector, at)
}

func (l *Ledger) binding(b simulator.Binding) *hookParts {
	h := &hookParts{of: b.Policy.Name + "/" + b.Name, source: b.PlaceOf(""), rules: resourceRules}
	l.part(h.key(outcome.BindingPart, "", ""), h.source)
	l.resources(h, matchResources(b.Object.Object), func(field string) string { return b.PlaceOf("spec.matchResources." + field) })
	return h
}

func matchResources(binding runtime.Object) *admissionregistrationv1.MatchResources {
	switch b := binding.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return b.Spec.MatchResources
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		return b.Spec.MatchResources
	}
	return nil
}

func (l *Ledger) validations(h *hookParts, all []admissionregistrationv1.Validation, at func(field string) string) {
	for i, v := range all {
		what := fmt.Sprintf("validations[%d]", i)
		l.part(h.key(outcome.ValidationPart, what, holds), at(what))
		l.part(h.key(outcome.ValidationPart, what, fails), at(what))
		if v.MessageExpression != "" {
			l.part(h.key(outcome.MessagePart, what, ""), at(what+".messageExpression"))
		}
	}
}

// annotations adds audit annotations. The branch in which an annotation is not written is only added if its expression
// contains null or an empty text as a possible result: most annotations always have a value.
func (l *Ledger) annotations(h *hookParts, all []admissionregistrationv1.AuditAnnotation, at func(field string) string) {
	for i, a := range all {
		place := at(fmt.Sprintf("auditAnnotations[%d]", i))
		l.part(h.key(outcome.AnnotationPart, a.Key, written), place)
		if mayBeEmpty(a.ValueExpression) {
			l.part(h.key(outcome.AnnotationPart, a.Key, notWritten), place)
		}
	}
}

// mayBeEmpty reports whether an expression can result in null or an empty text, as far as its literals show.
func mayBeEmpty(expression string) (may bool) {
	var look func(x *syntax.Expr)
	look = func(x *syntax.Expr) {
		switch {
		case x.Kind == syntax.Literal:
			may = may || x.Value == nil || x.Value == ""
		case x.Kind == syntax.Call && (x.Name == syntax.If || x.Name == "orValue" || x.Name == "string"):
			for _, arg := range x.Args { // the condition is not a literal
				look(arg)
			}
		}
	}
	look(syntax.Parse(expression))
	return may
}
