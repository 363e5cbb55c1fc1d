package check

import "github.com/admsim/admsim/internal/report/document"

// Document converts the findings to the form that is shown.
func (r *Result) Document() *document.Check {
	c := &document.Check{
		TypeMeta: document.TypeMeta(document.CheckKind), Requests: r.Requests, Tried: r.Tried, Undecided: r.Undecided,
		Mutations: r.Mutations, Pairs: r.Pairs, Orders: r.Orders, Exhaustive: r.Exhaustive, Unanswered: r.Unanswered, Repeaters: r.Repeaters, Findings: []document.CheckFinding{},
	}
	for _, name := range r.Checks {
		c.Checks = append(c.Checks, string(name))
	}
	for _, e := range r.Errors {
		c.Errors = append(c.Errors, document.DiffError{Request: e.Request, Error: e.Err.Error()})
	}
	for _, f := range r.Findings {
		shown := document.CheckFinding{
			Check: string(f.Check), Webhook: f.Webhook, Other: f.Other, Field: f.Field,
			Message: f.Text, Remedy: f.Remedy, Requests: f.Requests,
		}
		for _, s := range f.Samples {
			shown.Samples = append(shown.Samples, document.CheckSample(s))
		}
		c.Findings = append(c.Findings, shown)
	}
	return c
}
