package document

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// The kinds of the documents that lint prints.
const (
	LintKind      = "Lint"
	LintRulesKind = "LintRules"
)

// A Lint lists what rules found in webhook configurations.
type Lint struct {
	report.TypeMeta
	Findings   []Finding   `json:"findings"`
	Suppressed []Finding   `json:"suppressed,omitempty"`
	Summary    LintSummary `json:"summary"`

	Rules []LintRule `json:"-"` // all rules
}

// How bad a finding is.
const (
	LintError   = "error"
	LintWarning = "warning"
	LintInfo    = "info"
)

// RuleOf returns the rule of a finding.
func (l *Lint) RuleOf(f Finding) (LintRule, bool) {
	i := slices.IndexFunc(l.Rules, func(r LintRule) bool { return r.ID == f.Rule })
	if i < 0 {
		return LintRule{}, false
	}
	return l.Rules[i], true
}

// A LintSummary counts what was checked and what was found.
type LintSummary struct {
	Configurations int `json:"configurations"`
	Webhooks       int `json:"webhooks"`
	Policies       int `json:"policies,omitempty"`
	Requests       int `json:"requests,omitempty"` // of the corpus
	Errors         int `json:"errors"`
	Warnings       int `json:"warnings"`
	Infos          int `json:"infos"`
	Suppressed     int `json:"suppressed"`

	// Writes of the corpus that reached no webhook, the most frequent first.
	Unreached []Unreached `json:"unreached,omitempty"`
}

// An Unreached counts writes that reached no webhook.
type Unreached struct {
	Operation string   `json:"operation"` // create, update, delete or connect
	Resource  string   `json:"resource"`  // such as deployments.apps or pods/exec
	Requests  int      `json:"requests"`
	First     []string `json:"first,omitempty"` // the names of the first few
}

// UnreachedRequests returns how many writes reached no webhook.
func (s LintSummary) UnreachedRequests() (n int) {
	for _, u := range s.Unreached {
		n += u.Requests
	}
	return n
}

// A Finding is one violation of a rule.
type Finding struct {
	Rule     string    `json:"rule"`
	Name     string    `json:"name"`
	Severity string    `json:"severity"`
	At       Place     `json:"at"`
	Object   string    `json:"object,omitempty"`
	Webhook  string    `json:"webhook,omitempty"`
	Field    string    `json:"field,omitempty"`
	Message  string    `json:"message"`
	Remedy   string    `json:"remedy"`
	Related  []Related `json:"related,omitempty"`
	Reason   string    `json:"reason,omitempty"` // why it is accepted
}

// A Place is a place in a file.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// A Related place is relevant to a finding.
type Related struct {
	At      Place  `json:"at"`
	Message string `json:"message"`
}

// String returns the place in the format of compilers.
func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Who returns the webhook, and the object that contains it.
func (f Finding) Who() string {
	if f.Webhook == "" {
		return f.Object
	}
	return f.Object + ": " + f.Webhook
}

// String returns the summary in one line.
func (s LintSummary) String() string {
	looked := fmt.Sprintf("%s in %s", words.Plural(s.Webhooks, "webhook"), words.Plural(s.Configurations, "configuration"))
	policies := fmt.Sprintf("%d policies", s.Policies)
	if s.Policies == 1 {
		policies = "1 policy"
	}
	switch {
	case s.Policies+s.Webhooks == 0: // there are none, or none could be read
		looked = "no webhook or policy was checked"
	case s.Policies > 0 && s.Webhooks == 0:
		looked = policies
	case s.Policies > 0:
		looked += ", " + policies
	}
	if s.Requests > 0 {
		looked += fmt.Sprintf(", %s", words.Plural(s.Requests, "request"))
	}
	found := "nothing found"
	if s.Errors+s.Warnings+s.Infos > 0 {
		found = fmt.Sprintf("%s, %s, %s", words.Plural(s.Errors, "error"), words.Plural(s.Warnings, "warning"), words.Plural(s.Infos, "info"))
	}
	if s.Suppressed > 0 {
		found += fmt.Sprintf(", %d ignored", s.Suppressed)
	}
	return looked + ": " + found
}
