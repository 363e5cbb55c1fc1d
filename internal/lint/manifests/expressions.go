package manifests

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func expressionRules() []lint.Rule {
	return []lint.Rule{{
		ID: "ADM082", Name: "no-object", Theme: policyTheme, Severity: lint.Error, Practice: "filter-match-conditions",
		Title:  "An expression of a policy or webhook fails for every request of an operation, because it reads an object that these requests do not have.",
		Why:    "In a DELETE, object is null, and in a CREATE or CONNECT, oldObject is. An expression that reads a field of null fails. With failurePolicy Fail, all of these requests are refused; with Ignore, none of them is checked. (Only reported if no other condition and no part of the expression excludes some of them.)",
		Remedy: "leave the operation out of the rules, or write an expression that holds for it too: object == null || object.spec.replicas > 3",
		Check:  withoutObject,
	}}
}

// withoutObject looks at match conditions, and at the validations of policies. What a policy does depends on its
// bindings, too.
func withoutObject(s *lint.Subject, r *lint.Reporter) {
	for _, h := range s.Hooks {
		if !s.Simulator.Release().Has(kubeversion.MatchConditions) {
			break
		}
		for i, c := range h.MatchConditions {
			at := h.Selection().ConditionField(i, "expression")
			failing := s.NullFailures([]lint.Selection{h.Selection()}, i, c.Expression)
			if h.FailsClosed() {
				reportFailing(r, at, failing, lint.Error, "all of them are refused")
			} else {
				reportFailing(r, at, failing, lint.Info, "it is called for none of them")
			}
		}
	}
	for _, p := range s.Policies {
		report := func(at lint.Field, condition int, expression string) {
			failing, refused := boundFailures(s, p, condition, expression)
			switch {
			case failsOpen(p) && p.Selection().Mutating:
				reportFailing(r, at, failing, lint.Warning, "none of them is changed")
			case failsOpen(p):
				reportFailing(r, at, failing, lint.Warning, "none of them is checked")
			case !refused:
				reportFailing(r, at, failing, lint.Warning, "none of them is evaluated")
			default:
				reportFailing(r, at, failing, lint.Error, "all of them are refused")
			}
		}
		for i, c := range p.Selection().MatchConditions {
			report(p.Selection().ConditionField(i, "expression"), i, c.Expression)
		}
		for i, v := range p.Validations {
			report(p.Field(fmt.Sprintf("validations[%d].expression", i)), -1, v.Expression)
		}
	}
}

// boundFailures returns for which operations an expression of a policy fails with its first binding for which it does,
// and whether these requests are refused under that binding, unless the policy fails open. Bindings under which they are
// come first: one that only warns or audits refuses nothing, but those of a MutatingAdmissionPolicy have no such choice.
// A policy without bindings may get any.
func boundFailures(s *lint.Subject, p *lint.Policy, condition int, expression string) (failing []admissionv1.Operation, refused bool) {
	policy := p.Selection()
	if len(p.Bindings) == 0 {
		return s.NullFailures([]lint.Selection{policy}, condition, expression), true
	}
	for _, refuses := range []bool{true, false} {
		for _, b := range p.Bindings {
			if (policy.Mutating || b.Denies()) != refuses {
				continue
			}
			of := []lint.Selection{policy}
			if b.Resources != nil {
				of = append(of, b.Selection(p))
			}
			if failing := s.NullFailures(of, condition, expression); len(failing) > 0 {
				return failing, refuses
			}
		}
	}
	return nil, false
}

func reportFailing(r *lint.Reporter, at lint.Field, failing []admissionv1.Operation, severity lint.Severity, then string) {
	var all []string
	for _, null := range []string{"object", "oldObject"} {
		var names []string
		for _, o := range failing {
			if space.NullIn(o) == null {
				names = append(names, string(o))
			}
		}
		if len(names) > 0 {
			all = append(all, fmt.Sprintf("for every %s, in which %s is null", strings.Join(names, " and "), null))
		}
	}
	if len(all) > 0 {
		r.At(at, "fails %s: %s", strings.Join(all, ", and "), then).Severity = severity
	}
}
