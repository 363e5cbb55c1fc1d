package document

import (
	"github.com/admsim/admsim/internal/whatif"
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
	Webhook  *Actor        `json:"webhook,omitempty"`
	Other    *Actor        `json:"other,omitempty"`
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

// NewCheck puts what does not hold into the form that is shown.
func NewCheck(r *whatif.CheckResult) *Check {
	c := &Check{
		TypeMeta: typeMeta(CheckKind), Requests: r.Requests, Tried: r.Tried, Undecided: r.Undecided,
		Mutations: r.Mutations, Pairs: r.Pairs, Orders: r.Orders, Exhaustive: r.Exhaustive, Findings: []CheckFinding{},
	}
	for _, name := range r.Checks {
		c.Checks = append(c.Checks, string(name))
	}
	for _, e := range r.Errors {
		c.Errors = append(c.Errors, DiffError{SampleOf(e.Request), e.Err.Error()})
	}
	for _, by := range r.Unanswered {
		c.Unanswered = append(c.Unanswered, actorOf(by))
	}
	for _, f := range r.Findings {
		shown := CheckFinding{
			Check: string(f.Check), Webhook: actorIn(f.Webhook), Other: actorIn(f.Other), Field: f.Field,
			Message: f.Text, Remedy: f.Remedy, Requests: f.Requests,
		}
		for _, s := range f.Samples {
			shown.Samples = append(shown.Samples, CheckSample{SampleOf(s.Request), s.Detail})
		}
		c.Findings = append(c.Findings, shown)
	}
	return c
}
