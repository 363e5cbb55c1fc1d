// Package coverage counts how often the parts of the admission configuration were reached: webhooks with their
// rules, selectors and match conditions, policies with their bindings and validations.
//
// A [Ledger] is told of each world what there is to reach, and of each answer what was reached.
package coverage

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Ledger counts how often the parts of the admission configuration were reached.
type Ledger struct {
	parts  map[partKey]*outcome.Covered
	lately map[partKey]string // why a webhook was skipped last
}

type partKey struct {
	part             outcome.Part
	of, what, branch string
	source           string
}

// hookParts are what of a webhook or policy there is to reach.
type hookParts struct {
	of, source string
	namespaces bool // it has a namespaceSelector that asks for something
	objects    bool
	policy     string // its failurePolicy
	policyAt   string // where that is said
}

// Branches.
const (
	fits, fitsNot  = "matched", "not matched"
	isTrue, isNot  = "true", "false"
	holds, holdNot = "holds", "fails"
)

// NewLedger returns a ledger in which nothing is there to reach.
func NewLedger() *Ledger {
	return &Ledger{parts: map[partKey]*outcome.Covered{}, lately: map[partKey]string{}}
}

func (l *Ledger) part(k partKey, at string) {
	if l.parts[k] == nil {
		l.parts[k] = &outcome.Covered{Part: k.part, Of: k.of, What: k.what, Branch: k.branch, Source: scenario.ParseSource(at)}
	}
}

// Hooks are the webhooks and policies of one world, by where they were written and what they are called.
type Hooks map[string]*hookParts

// Declare notes what there is to reach in a world, and returns its webhooks and policies.
func (l *Ledger) Declare(in *simulator.Simulator) Hooks {
	hooks := Hooks{}
	for o := range in.WebhookConfigurations() {
		for i, w := range objects.Webhooks(o.Object) {
			l.webhook(hooks, o, i, w)
		}
	}
	l.policies(hooks, in)
	return hooks
}

func (l *Ledger) webhook(hooks Hooks, o cluster.Object, i int, w objects.Webhook) {
	place := fmt.Sprintf("webhooks[%d]", i)
	h := &hookParts{
		of: w.Configuration + "/" + w.Name, source: o.PlaceOf(place),
		namespaces: asks(w.NamespaceSelector), objects: asks(w.ObjectSelector),
		policy: failurePolicy(w.FailurePolicy), policyAt: o.PlaceOf(place + ".failurePolicy"),
	}
	hooks[h.source+h.of] = h
	l.part(h.key(outcome.WebhookPart, "", ""), h.source)
	for j := range w.Rules {
		l.part(h.key(outcome.RulePart, fmt.Sprintf("rules[%d]", j), ""), o.PlaceOf(fmt.Sprintf("%s.rules[%d]", place, j)))
	}
	for name, is := range map[string]bool{"namespaceSelector": h.namespaces, "objectSelector": h.objects} {
		if is {
			l.part(h.key(outcome.SelectorPart, name, fits), o.PlaceOf(place+"."+name))
			l.part(h.key(outcome.SelectorPart, name, fitsNot), o.PlaceOf(place+"."+name))
		}
	}
	l.conditions(h, w.MatchConditions, func(j int) string { return o.PlaceOf(fmt.Sprintf("%s.matchConditions[%d]", place, j)) })
	l.part(h.key(outcome.FailurePolicyPart, "", h.policy), h.policyAt)
}

func (l *Ledger) conditions(h *hookParts, conditions []admissionregistrationv1.MatchCondition, place func(int) string) {
	for j, c := range conditions {
		l.part(h.key(outcome.ConditionPart, c.Name, isTrue), place(j))
		l.part(h.key(outcome.ConditionPart, c.Name, isNot), place(j))
	}
}

func (h *hookParts) key(p outcome.Part, what, branch string) partKey {
	return partKey{p, h.of, what, branch, h.source}
}

// asks reports whether a selector asks for something.
func asks(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

func failurePolicy(p *admissionregistrationv1.FailurePolicyType) string {
	if p == nil {
		return string(admissionregistrationv1.Fail)
	}
	return string(*p)
}

// policies notes what there is of policies, each under each of its bindings.
func (l *Ledger) policies(hooks Hooks, in *simulator.Simulator) {
	all, _ := in.Policies()
	for _, p := range all {
		switch of := p.Object.Object.(type) {
		case *admissionregistrationv1.ValidatingAdmissionPolicy:
			h := l.policy(hooks, p, of.Spec.FailurePolicy, of.Spec.MatchConditions)
			for i := range of.Spec.Validations {
				what, at := fmt.Sprintf("validations[%d]", i), p.PlaceOf(fmt.Sprintf("spec.validations[%d]", i))
				l.part(h.key(outcome.ValidationPart, what, holds), at)
				l.part(h.key(outcome.ValidationPart, what, holdNot), at)
			}
		case *admissionregistrationv1.MutatingAdmissionPolicy:
			l.policy(hooks, p, of.Spec.FailurePolicy, of.Spec.MatchConditions)
		}
	}
}

func (l *Ledger) policy(hooks Hooks, p simulator.Policy, failure *admissionregistrationv1.FailurePolicyType, conditions []admissionregistrationv1.MatchCondition) *hookParts {
	h := &hookParts{of: p.Name, source: p.PlaceOf(""), policy: failurePolicy(failure), policyAt: p.PlaceOf("spec.failurePolicy")}
	hooks[h.source+h.of] = h
	for _, b := range p.Bindings {
		l.part(h.key(outcome.PolicyPart, b.Name, ""), h.source)
	}
	if len(p.Bindings) == 0 {
		l.part(h.key(outcome.PolicyPart, "", ""), h.source)
	}
	l.conditions(h, conditions, func(j int) string { return p.PlaceOf(fmt.Sprintf("spec.matchConditions[%d]", j)) })
	return h
}

// reach counts one more time.
func (l *Ledger) reach(k partKey) {
	if c := l.parts[k]; c != nil {
		c.Times++
	}
}

// Items are all parts, by place.
func (l *Ledger) Items() []outcome.Covered {
	all := make([]outcome.Covered, 0, len(l.parts))
	for _, c := range l.parts {
		all = append(all, *c)
	}
	order := map[outcome.Part]int{}
	for i, p := range outcome.Parts() {
		order[p] = i
	}
	slices.SortFunc(all, func(a, b outcome.Covered) int {
		return cmp.Or(
			cmp.Compare(a.Source.File, b.Source.File), cmp.Compare(a.Source.Line, b.Source.Line),
			cmp.Compare(a.Of, b.Of), cmp.Compare(order[a.Part], order[b.Part]), cmp.Compare(a.What, b.What), -cmp.Compare(a.Branch, b.Branch),
		)
	})
	return all
}

// Skipped is why a webhook among the items was skipped last, empty if it never was.
func (l *Ledger) Skipped(webhook outcome.Covered) string {
	return l.lately[partKey{outcome.WebhookPart, webhook.Of, "", "", webhook.Source.String()}]
}

// Sources are where what there is to reach was written.
func (l *Ledger) Sources() iter.Seq[string] {
	return func(yield func(string) bool) {
		for key := range l.parts {
			if !yield(key.source) {
				return
			}
		}
	}
}
