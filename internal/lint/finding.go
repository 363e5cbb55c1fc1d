package lint

import (
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
)

// A Severity is how bad a finding is.
type Severity string

const (
	Error   Severity = "error"   // requests fail, or will
	Warning Severity = "warning" // requests fail or pass unchecked once something else goes wrong
	Info    Severity = "info"    // it works, and could work better
)

// Severities are all of them, the worst first.
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

// A Finding is one place at which a rule is not kept.
type Finding struct {
	Rule     Rule
	Severity Severity // that of the rule, or another one where the case is worse or milder

	Source  scenario.Source // of the field that has to change
	Object  string          // such as MutatingWebhookConfiguration/sidecar
	Webhook string          // the name of the webhook in it; empty if it is about all of them
	Field   string          // its path in the object

	Message string
	Remedy  string // that of the rule, or one for the case
	Related []Related

	// Reason is why its author accepts the finding, where it is suppressed.
	Reason string
}

// A Related place has to do with a finding.
type Related struct {
	Source  scenario.Source
	Message string
}
