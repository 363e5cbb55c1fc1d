package lint

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/scenario"
)

// A Rule is one good practice.
type Rule struct {
	ID       string // stays the same for ever: ADM001
	Name     string // in a few words with hyphens
	Theme    string
	Severity Severity

	Title  string // what is the matter, in one sentence
	Why    string
	Remedy string

	// Practice is the heading of Kubernetes' page that the rule comes from, as in its URL;
	// empty if it is admsim's own.
	Practice string

	// Corpus says that the rule needs requests.
	Corpus bool

	check func(*subject, *reporter) // nil for what is found elsewhere

	// call says what is wrong with one call of a webhook, each in one sentence.
	call func(*subject, call) []string
}

// page is where Kubernetes' good practices are.
const page = "https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/"

// url is where Kubernetes explains the practice, empty if it does not.
func (r Rule) url() string {
	if r.Practice == "" {
		return ""
	}
	return page + "#" + r.Practice
}

// Rules are all rules, by id.
func Rules() []Rule {
	return slices.Concat(
		scopeRules(), selectorRules(), failureRules(), declarationRules(), certificateRules(),
		backendRules(), deadlockRules(), alternativeRules(), policyRules(), corpusRules(), suppressionRules(),
	)
}

func ruleOf(id string) (Rule, bool) {
	all := Rules()
	i := slices.IndexFunc(all, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return all[i], true
}

// A fieldRef is a field of a manifest.
type fieldRef struct {
	manifest scenario.Manifest
	webhook  string
	field    string
}

// A reporter collects the findings of the rule that is being checked.
type reporter struct {
	rule     Rule
	findings []Finding
}

// at reports a finding, which the caller may complete.
func (r *reporter) at(p fieldRef, format string, args ...any) *Finding {
	r.findings = append(r.findings, newFinding(r.rule, p, fmt.Sprintf(format, args...)))
	return &r.findings[len(r.findings)-1]
}

func newFinding(rule Rule, p fieldRef, message string) Finding {
	return Finding{
		Rule:     rule,
		Severity: rule.Severity,
		Source:   p.manifest.Position(p.field),
		Object:   nameOf(p.manifest),
		Webhook:  p.webhook,
		Field:    p.field,
		Message:  message,
		Remedy:   rule.Remedy,
	}
}

func nameOf(m scenario.Manifest) string {
	if m.Namespace != "" {
		return m.Kind + "/" + m.Namespace + "/" + m.Name
	}
	return m.Kind + "/" + m.Name
}

// eachHook makes the check of a rule that looks at one webhook at a time.
func eachHook(check func(s *subject, h *hook, r *reporter)) func(*subject, *reporter) {
	return func(s *subject, r *reporter) {
		for _, h := range s.hooks {
			check(s, h, r)
		}
	}
}
