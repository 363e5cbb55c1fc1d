package backends

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
)

// A mock answers as declared.
type mock struct {
	*dispatch.Mock
	declared scenario.Backend
}

// Call answers a call. Errors about an answer that cannot be given, or a condition that cannot be evaluated, have the
// place where it was written.
func (m *mock) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	reply := m.Mock.Call(ctx, c)
	if failed := (*dispatch.AnswerError)(nil); errors.As(reply.Err, &failed) {
		wrong := wrongWith(m.declared.Answers[failed.Answer], failed.Err)
		wrong.Message += fmt.Sprintf(", in a call of webhook %s/%s", c.Configuration, c.Webhook)
		if strings.HasPrefix(failed.Err.Error(), "when:") {
			wrong.Hint = "check has(...) first for fields that an object may lack; an answer without when is for all other calls"
		}
		reply.Err = &dispatch.NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: failed.Error(), Err: wrong}
	}
	return reply
}

// newMock creates a mock. It checks each answer separately, so that all errors are reported.
func newMock(d scenario.Backend, c *expression.Compiler, errs *scenario.Errors) *mock {
	answers := make([]dispatch.Answer, len(d.Answers))
	found := len(*errs)
	for i, a := range d.Answers {
		answers[i] = a.Answer
		checked := a.Answer
		if a.Reported {
			checked = dispatch.Answer{When: a.When}
		}
		if _, err := dispatch.NewMock(c, checked); err != nil {
			*errs = append(*errs, wrongWith(a, err))
		}
	}
	m := &mock{declared: d}
	if len(*errs) > found {
		return m
	}
	var err error
	if m.Mock, err = dispatch.NewMock(c, answers...); err != nil {
		*errs = append(*errs, &scenario.Error{Source: d.Source, Message: err.Error(), Err: err})
	}
	return m
}

// wrongWith returns the error in an answer, with its place.
func wrongWith(a scenario.Answer, err error) *scenario.Error {
	if condition := (*expression.CompileError)(nil); errors.As(err, &condition) {
		return a.Uncompiled(condition)
	}
	return a.Wrong(strings.TrimPrefix(err.Error(), "answer 1: "), err)
}

func (m *mock) close() {}
