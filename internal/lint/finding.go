package lint

import (
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
)

// A Severity says how bad a finding is.
type Severity string

const (
	Error   Severity = "error"   // requests fail, or will
	Warning Severity = "warning" // requests fail or pass unchecked if something else goes wrong
	Info    Severity = "info"    // it works, but could work better
)

// Severities returns all severities, the worst first.
func Severities() []Severity { return []Severity{Error, Warning, Info} }

// Reaches reports whether s is at least as bad as other.
func (s Severity) Reaches(other Severity) bool { return s.rank() <= other.rank() }

func (s Severity) rank() int {
	for i, one := range Severities() {
		if s == one {
			return i
		}
	}
	panic(fmt.Sprintf("lint: unknown severity %q", s))
}

// A Finding is one violation of a rule.
type Finding struct {
	Rule     Rule
	Severity Severity // of the rule, or another one if the case is worse or milder

	Source  scenario.Source // of the field that has to change
	Object  string          // such as MutatingWebhookConfiguration/sidecar
	Webhook string          // the name of the webhook in it; empty if it is about all of them
	Field   string          // its path in the object

	Message string
	Remedy  string // of the rule, or one for the case
	Related []Related

	// Reason is why its author accepts the finding, if it is suppressed.
	Reason string
}

// A Related place is relevant to a finding.
type Related struct {
	Source  scenario.Source
	Message string
}
