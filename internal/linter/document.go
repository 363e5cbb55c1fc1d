package linter

import (
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
)

// Document converts findings to the form that is shown.
func (r *Result) Document() *document.Lint {
	l := &document.Lint{
		TypeMeta:   document.TypeMeta(document.LintKind),
		Findings:   findings(r.Findings),
		Suppressed: findings(r.Suppressed),
		Rules:      listed(),
		Summary: document.LintSummary{
			Configurations: r.Configurations, Webhooks: r.Webhooks, Policies: r.Policies, Requests: r.Requests, Suppressed: len(r.Suppressed),
		},
	}
	for _, u := range r.Unreached {
		l.Summary.Unreached = append(l.Summary.Unreached, document.Unreached(u))
	}
	for _, f := range r.Findings {
		switch f.Severity {
		case lint.Error:
			l.Summary.Errors++
		case lint.Warning:
			l.Summary.Warnings++
		default:
			l.Summary.Infos++
		}
	}
	return l
}

func findings(all []lint.Finding) []document.Finding {
	shown := make([]document.Finding, len(all))
	for i, f := range all {
		shown[i] = document.Finding{
			Rule: f.Rule.ID, Name: f.Rule.Name, Severity: string(f.Severity), At: placeOf(f.Source),
			Object: f.Object, Webhook: f.Webhook, Field: f.Field,
			Message: f.Message, Remedy: f.Remedy, Reason: f.Reason,
		}
		for _, r := range f.Related {
			shown[i].Related = append(shown[i].Related, document.Related{At: placeOf(r.Source), Message: r.Message})
		}
	}
	return shown
}

func placeOf(s scenario.Source) document.Place { return document.Place(s) }

// RulesDocument lists all rules.
func RulesDocument() *document.LintRules {
	return &document.LintRules{TypeMeta: document.TypeMeta(document.LintRulesKind), Rules: listed(), Page: lint.PracticesURL}
}

func listed() (all []document.LintRule) {
	for _, r := range Rules() {
		all = append(all, document.LintRule{
			ID: r.ID, Name: r.Name, Theme: r.Theme, Severity: string(r.Severity),
			Title: r.Title, Why: r.Why, Remedy: r.Remedy, URL: r.URL(), Corpus: r.Corpus,
		})
	}
	return all
}
