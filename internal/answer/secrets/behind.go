package secrets

import (
	"github.com/admsim/admsim/internal/conceal"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// Of returns a pass that knows the secrets behind answers, or nil if there are none or redactor is nil.
func Of(redactor *redact.Redactor, answers ...*simulator.Result) *redact.Pass {
	return conceal.In(redactor, Behind(answers...))
}

// Together returns a redactor that uses the same words for the secrets of all answers, or nil if redactor is nil.
func Together(redactor *redact.Redactor, answers ...*simulator.Result) *redact.Redactor {
	if pass := Of(redactor, answers...); pass != nil {
		return redactor.After(pass)
	}
	return redactor
}

// Denial returns why an answer is a denial, without secrets; it is empty if the request was admitted.
func Denial(redactor *redact.Redactor, answer *simulator.Result) string {
	status := answer.Status()
	if status == nil {
		return ""
	}
	if pass := Of(redactor, answer); pass != nil {
		return pass.Text(status.Message)
	}
	return status.Message
}

// Behind returns the worlds, admissions and objects of answers.
func Behind(answers ...*simulator.Result) (b conceal.Behind) {
	for _, r := range answers {
		if r.Next != nil {
			b.States = append(b.States, r.Next.State())
		}
		b.Admissions = append(b.Admissions, r.Admissions...)
		if r.Object != nil {
			b.Objects = append(b.Objects, r.Object)
		}
	}
	return b
}

// Asked returns where secrets of a request, and of the simulator that answers it, may come from.
func Asked(api rest.Request, sim *simulator.Simulator) conceal.Request {
	if sim == nil {
		return conceal.Request{Body: api.Body}
	}
	resource, _ := sim.Resources().Resource(api.Resource)
	return conceal.Request{Kind: resource.Kind.GroupKind(), Body: api.Body, State: sim.State()}
}
