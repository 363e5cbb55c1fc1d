package document

import (
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/report"
)

// A LintRule is one rule as it is listed.
type LintRule struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Theme    string `json:"theme"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Why      string `json:"why"`
	Remedy   string `json:"remedy"`
	URL      string `json:"url,omitempty"`
	Corpus   bool   `json:"needsCorpus,omitempty"`
}

// LintRules are all rules.
type LintRules struct {
	report.TypeMeta
	Rules []LintRule `json:"rules"`
}

func NewLintRules() *LintRules {
	list := &LintRules{TypeMeta: typeMeta(LintRulesKind)}
	for _, r := range lint.Rules() {
		list.Rules = append(list.Rules, LintRule{
			ID: r.ID, Name: r.Name, Theme: r.Theme, Severity: string(r.Severity),
			Title: r.Title, Why: r.Why, Remedy: r.Remedy, URL: r.URL(), Corpus: r.Corpus,
		})
	}
	return list
}
