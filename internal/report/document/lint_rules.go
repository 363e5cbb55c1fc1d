package document

import "github.com/admsim/admsim/pkg/report"

// A LintRule is a rule in a list of rules.
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

// LintRules lists all rules.
type LintRules struct {
	report.TypeMeta
	Rules []LintRule `json:"rules"`

	Page string `json:"-"` // the page of Kubernetes' good practices
}
