package document

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// What lint prints has one of these kinds.
const (
	LintKind      = "Lint"
	LintRulesKind = "LintRules"
)

// A Lint is what rules found in webhook configurations.
type Lint struct {
	report.TypeMeta
	Findings   []Finding   `json:"findings"`
	Suppressed []Finding   `json:"suppressed,omitempty"`
	Summary    LintSummary `json:"summary"`

	Rules []LintRule `json:"-"` // all that there are
}

// How bad a finding is.
const (
	LintError   = "error"
	LintWarning = "warning"
	LintInfo    = "info"
)

// RuleOf is the rule of a finding.
func (l *Lint) RuleOf(f Finding) (LintRule, bool) {
	i := slices.IndexFunc(l.Rules, func(r LintRule) bool { return r.ID == f.Rule })
	if i < 0 {
		return LintRule{}, false
	}
	return l.Rules[i], true
}

// A LintSummary counts what was looked at and what was found.
type LintSummary struct {
	Configurations int `json:"configurations"`
	Webhooks       int `json:"webhooks"`
	Policies       int `json:"policies,omitempty"`
	Requests       int `json:"requests,omitempty"` // of the corpus
	Errors         int `json:"errors"`
	Warnings       int `json:"warnings"`
	Infos          int `json:"infos"`
	Suppressed     int `json:"suppressed"`

	Unreached []Unreached `json:"unreached,omitempty"` // writes of the corpus that reached no webhook, the most frequent first
}

// An Unreached counts writes that reached no webhook.
type Unreached struct {
	Operation string   `json:"operation"` // create, update, delete or connect
	Resource  string   `json:"resource"`  // such as deployments.apps or pods/exec
	Requests  int      `json:"requests"`
	First     []string `json:"first,omitempty"` // the names of the first few
}

// UnreachedRequests is how many writes reached no webhook.
func (s LintSummary) UnreachedRequests() (n int) {
	for _, u := range s.Unreached {
		n += u.Requests
	}
	return n
}

// A Finding is one place at which a rule is not kept.
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

// A Place is in a file.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// A Related place has to do with a finding.
type Related struct {
	At      Place  `json:"at"`
	Message string `json:"message"`
}

// String is the place as compilers write it.
func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Who is the webhook, and the object that it is in.
func (f Finding) Who() string {
	if f.Webhook == "" {
		return f.Object
	}
	return f.Object + ": " + f.Webhook
}

// String is the summary in one line.
func (s LintSummary) String() string {
	looked := fmt.Sprintf("%s in %s", words.Plural(s.Webhooks, "webhook"), words.Plural(s.Configurations, "configuration"))
	policies := fmt.Sprintf("%d policies", s.Policies)
	if s.Policies == 1 {
		policies = "1 policy"
	}
	switch {
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
