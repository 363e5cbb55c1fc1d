package answer

import (
	"github.com/admsim/admsim/internal/answer/steps"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// Usual is [New] with the usual detail.
func Usual(asked world.Asked, answer *simulator.Result, redactor *redact.Redactor) (*document.Answer, error) {
	return New(asked, answer, document.Usual, redactor)
}

// Later is like [Usual], but builds the answer only when the returned function is called, for callers that need few of
// many answers.
func Later(asked world.Asked, answer *simulator.Result, redactor *redact.Redactor) func() (*document.Answer, error) {
	return func() (*document.Answer, error) { return Usual(asked, answer, redactor) }
}

// Counts returns what is counted of an answer of which nothing else is shown.
func Counts(answer *simulator.Result) document.Counts {
	return steps.Counts(&answer.Response)
}
