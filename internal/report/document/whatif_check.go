package document

import (
	"github.com/admsim/admsim/pkg/report"
)

// A Check lists violations of the rules that webhooks should keep.
type Check struct {
	report.TypeMeta
	Checks    []string    `json:"checks"`
	Requests  int         `json:"requests"`
	Tried     int         `json:"tried"` // requests for which webhooks were tried
	Undecided int         `json:"undecided,omitempty"`
	Errors    []DiffError `json:"errors,omitempty"`

	Mutations  int  `json:"mutationsRepeated"`
	Pairs      int  `json:"pairsTried"`
	Orders     int  `json:"ordersTried"` // of three or more webhooks
	Exhaustive bool `json:"exhaustive"`  // these were all possible orders

	// Unanswered lists webhooks that could not be tried, because their answers are unknown.
	Unanswered []Actor `json:"unanswered,omitempty"`

	// Repeaters lists webhooks and policies that reinvocation leaves to idempotence: they change even their own output.
	Repeaters []Actor `json:"repeaters,omitempty"`

	Findings []CheckFinding `json:"findings"`
}

// A CheckFinding is a violation.
type CheckFinding struct {
	Check    string        `json:"check"`
	Webhook  Actor         `json:"webhook,omitzero"`
	Other    Actor         `json:"other,omitzero"`
	Field    string        `json:"field,omitempty"`
	Message  string        `json:"message"`
	Remedy   string        `json:"remedy,omitempty"`
	Requests int           `json:"requests"`
	Samples  []CheckSample `json:"samples"`
}

// A CheckSample is one request of a finding.
type CheckSample struct {
	Request Sample `json:"request"`
	Detail  string `json:"detail,omitempty"`
}
