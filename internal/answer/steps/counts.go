package steps

import (
	"net/http"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/trace"
)

// Counts returns what is counted of an answer of which nothing else is shown, the same as [document.CountsOf] for its
// result.
func Counts(answer *rest.Response) (c document.Counts) {
	if answer.Code >= http.StatusBadRequest {
		c.DeniedBy, _ = DeniedBy(answer.DeniedBy)
	}
	for _, a := range answer.Admissions {
		c.Elapsed = a.Request.Elapsed + a.Elapsed
		for i := range a.Steps {
			for j := range a.Steps[i].Hooks {
				if h := &a.Steps[i].Hooks[j]; h.Outcome != trace.Skipped {
					c.Hooks = append(c.Hooks, document.HookCount{
						Configuration: h.Configuration, Name: h.Name, Outcome: string(h.Outcome), Took: h.Duration,
					})
				}
			}
		}
	}
	return c
}
