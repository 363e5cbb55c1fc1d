package manifests

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/lint"
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
		what, severity := "all of them are refused", lint.Error
		switch {
		case failsOpen(p):
			what, severity = "none of them is checked", lint.Warning
		case !enforced(p):
			what, severity = "none of them is evaluated", lint.Warning
		}
		for i, c := range p.Selection().MatchConditions {
			reportFailing(r, p.Selection().ConditionField(i, "expression"), boundFailures(s, p, i, c.Expression), severity, what)
		}
		for i, v := range p.Validations {
			reportFailing(r, p.Field(fmt.Sprintf("validations[%d].expression", i)), boundFailures(s, p, -1, v.Expression), severity, what)
		}
	}
}

// enforced reports whether a policy refuses requests for which it fails: one that only warns or audits does not. A
// MutatingAdmissionPolicy has no such choice, and without a binding it is not known.
func enforced(p *lint.Policy) bool {
	if !p.Validates {
		return true
	}
	for _, b := range p.Bindings {
		if b.Denies() {
			return true
		}
	}
	return len(p.Bindings) == 0
}

// boundFailures returns for which operations an expression of a policy fails with its first binding for which it does.
func boundFailures(s *lint.Subject, p *lint.Policy, condition int, expression string) []admissionv1.Operation {
	if len(p.Bindings) == 0 {
		return s.NullFailures([]lint.Selection{p.Selection()}, condition, expression)
	}
	for _, b := range p.Bindings {
		of := []lint.Selection{p.Selection()}
		if b.Resources != nil {
			of = append(of, b.Selection(p))
		}
		if failing := s.NullFailures(of, condition, expression); len(failing) > 0 {
			return failing
		}
	}
	return nil
}

func reportFailing(r *lint.Reporter, at lint.Field, failing []admissionv1.Operation, severity lint.Severity, then string) {
	if len(failing) == 0 {
		return
	}
	var names []string
	null := "object"
	for _, o := range failing {
		names = append(names, string(o))
		if o != admissionv1.Delete {
			null = "oldObject"
		}
	}
	r.At(at, "fails for every %s, in which %s is null: %s", strings.Join(names, " and "), null, then).Severity = severity
}
