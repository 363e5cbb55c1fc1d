package lint

import (
	"encoding/json"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Rule is one good practice.
type Rule struct {
	ID       string // never changes: ADM001
	Name     string // in a few words with hyphens
	Theme    string
	Severity Severity

	Title  string // what is wrong, in one sentence
	Why    string
	Remedy string

	// Needs are kinds that Remedy recommends, or MatchConditions. Where one of them does not exist, the remedy is
	// Otherwise; without that, the rule does not apply.
	Needs     []string
	Otherwise string

	// Practice is the heading in Kubernetes' page that the rule is based on, as in its URL; empty if the rule is
	// admsim's own.
	Practice string

	// Corpus says that the rule needs requests.
	Corpus bool

	// Check reports violations of the rule. It is nil for a rule about what others find.
	Check func(*Subject, *Reporter)
}

// PracticesURL is the page of Kubernetes' good practices.
const PracticesURL = "https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/"

// URL returns where Kubernetes explains the practice, or "" if it does not.
func (r Rule) URL() string {
	if r.Practice == "" {
		return ""
	}
	return PracticesURL + "#" + r.Practice
}

// What remedies need and not every release has.
const (
	MatchConditions    = "matchConditions" // of webhooks
	ValidatingPolicies = "ValidatingAdmissionPolicy"
	MutatingPolicies   = "MutatingAdmissionPolicy"
)

// AdaptTo changes the remedy to one that the release of a subject has. It reports whether the rule applies there.
func (r *Rule) AdaptTo(s *Subject) bool {
	lacks := func(what string) bool {
		if what == MatchConditions {
			return !s.Simulator.Release().Has(kubeversion.MatchConditions)
		}
		return !slices.ContainsFunc(s.Simulator.Resources().All(), func(one discovery.Resource) bool {
			return one.Served && one.Kind.Group == admissionregistrationv1.GroupName && one.Kind.Kind == what
		})
	}
	if slices.ContainsFunc(r.Needs, lacks) {
		r.Remedy = r.Otherwise
	}
	return r.Remedy != "" || len(r.Needs) == 0
}

// A Field is a field of a manifest.
type Field struct {
	Manifest scenario.Manifest
	Webhook  string // the name of the webhook that it belongs to, if any
	Path     string
}

// A Reporter collects the findings of the rule that is being checked.
type Reporter struct {
	Rule     Rule
	Findings []Finding
}

// At reports a finding, which the caller may complete.
func (r *Reporter) At(p Field, format string, args ...any) *Finding {
	r.Findings = append(r.Findings, NewFinding(r.Rule, p, fmt.Sprintf(format, args...)))
	return &r.Findings[len(r.Findings)-1]
}

// NewFinding returns a finding at a field, with the severity and the remedy of its rule.
func NewFinding(rule Rule, p Field, message string) Finding {
	return Finding{
		Rule:     rule,
		Severity: rule.Severity,
		Source:   p.Manifest.Position(p.Path),
		Object:   NameOf(p.Manifest),
		Webhook:  p.Webhook,
		Field:    p.Path,
		Message:  message,
		Remedy:   rule.Remedy,
	}
}

// NameOf returns the name of a manifest's object in findings.
func NameOf(m scenario.Manifest) string {
	if m.Namespace != "" {
		return m.Kind + "/" + m.Namespace + "/" + m.Name
	}
	return m.Kind + "/" + m.Name
}

// EachHook returns the check of a rule that looks at one webhook at a time.
func EachHook(check func(*Subject, *Hook, *Reporter)) func(*Subject, *Reporter) {
	return func(s *Subject, r *Reporter) {
		for _, h := range s.Hooks {
			check(s, h, r)
		}
	}
}

// EachBinding returns the check of a rule that looks at one binding, with its policy, at a time.
func EachBinding(check func(*Subject, *Policy, *Binding, *Reporter)) func(*Subject, *Reporter) {
	return func(s *Subject, r *Reporter) {
		for _, p := range s.Policies {
			for _, b := range p.Bindings {
				check(s, p, b, r)
			}
		}
	}
}

// EachSelection returns the check of a rule that looks at what webhooks, policies and bindings apply to, one at a time.
func EachSelection(check func(*Subject, Selection, *Reporter)) func(*Subject, *Reporter) {
	return func(s *Subject, r *Reporter) {
		for _, h := range s.Hooks {
			check(s, h.Selection(), r)
		}
		for _, p := range s.Policies {
			check(s, p.Selection(), r)
			for _, b := range p.Bindings {
				check(s, b.Selection(p), r)
			}
		}
	}
}

// Annotations returns the annotations of a manifest's object, as written.
func Annotations(m scenario.Manifest) map[string]string {
	var o struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if json.Unmarshal(m.JSON, &o) != nil {
		return nil
	}
	return o.Metadata.Annotations
}
