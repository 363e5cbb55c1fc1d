package world

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/scenario"
)

// A mock answers as declared.
type mock struct {
	*dispatch.Mock
	answers int
}

// newMock makes a mock ready, one answer at a time, so that the error of each is told.
func newMock(d scenario.Backend, c *expression.Compiler, errs *scenario.Errors) *mock {
	answers := make([]dispatch.Answer, len(d.Answers))
	found := len(*errs)
	for i, a := range d.Answers {
		answers[i] = a.Answer
		if _, err := dispatch.NewMock(c, a.Answer); err != nil {
			at, text := a.Source, strings.TrimPrefix(err.Error(), "answer 1: ")
			if key, _, isKey := strings.Cut(text, ":"); isKey {
				at = a.Position(key)
			}
			*errs = append(*errs, &scenario.Error{Source: at, Message: text, Err: err})
		}
	}
	m := &mock{answers: len(answers)}
	if len(*errs) > found {
		return m
	}
	var err error
	if m.Mock, err = dispatch.NewMock(c, answers...); err != nil {
		*errs = append(*errs, &scenario.Error{Source: d.Source, Message: err.Error(), Err: err})
	}
	return m
}

func (m *mock) used() bool { return m.answers == 0 || len(m.Unused()) < m.answers }

func (m *mock) close() {}

// unusedAnswers are those that were never given.
func (m *mock) unusedAnswers(d scenario.Backend) (errs scenario.Errors) {
	for _, n := range m.Unused() {
		errs = append(errs, &scenario.Error{
			Source:  d.Answers[n].Source,
			Message: fmt.Sprintf("answer %d of the mock of %q was never given", n+1, d.Webhook),
			Hint:    "--allow-unused accepts it",
		})
	}
	return errs
}
