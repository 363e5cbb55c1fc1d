package document

import (
	"github.com/admsim/admsim/pkg/report"
)

// A Check is what does not hold of what webhooks should keep to.
type Check struct {
	report.TypeMeta
	Checks    []string    `json:"checks"`
	Requests  int         `json:"requests"`
	Tried     int         `json:"tried"` // of them, in which webhooks were tried out
	Undecided int         `json:"undecided,omitempty"`
	Errors    []DiffError `json:"errors,omitempty"`

	Mutations  int  `json:"mutationsRepeated"`
	Pairs      int  `json:"pairsTried"`
	Orders     int  `json:"ordersTried"` // of three webhooks and more
	Exhaustive bool `json:"exhaustive"`  // these were all orders

	// Unanswered are webhooks that could not be tried out: nobody says what they answer.
	Unanswered []Actor `json:"unanswered,omitempty"`

	Findings []CheckFinding `json:"findings"`
}

// A CheckFinding is something that does not hold.
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
