package scenario

import (
	"strings"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
)

// Backends are mocks ready to answer, that remember what was asked of them.
type Backends struct {
	routes *dispatch.Backends
	mocks  []Mock
	ready  []*dispatch.Mock // beside mocks
}

// NewBackends makes mocks ready. A webhook is answered by the first of them whose name
// matches. The error is an [Errors]: what the answers say is checked here, and their
// conditions are compiled.
func NewBackends(mocks []Mock, c *expression.Compiler) (*Backends, error) {
	var errs Errors
	b := &Backends{mocks: mocks}
	routes := make([]dispatch.Route, len(mocks))
	for i, m := range mocks {
		ready := m.prepare(c, &errs)
		b.ready = append(b.ready, ready)
		routes[i] = dispatch.Route{Webhook: m.Webhook, Backend: ready}
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	var err error
	b.routes, err = dispatch.NewBackends(routes...)
	return b, err
}

// prepare makes m ready, one answer at a time, so that the error of each is told.
func (m Mock) prepare(c *expression.Compiler, errs *Errors) *dispatch.Mock {
	answers := make([]dispatch.Answer, len(m.Answers))
	found := len(*errs)
	for i, a := range m.Answers {
		answers[i] = a.Answer
		if _, err := dispatch.NewMock(c, a.Answer); err != nil {
			at, text := a.Source, strings.TrimPrefix(err.Error(), "answer 1: ")
			if key, _, isKey := strings.Cut(text, ":"); isKey {
				at = a.value.at(key).source()
			}
			*errs = append(*errs, &Error{Source: at, Message: text, Err: err})
		}
	}
	if len(*errs) > found {
		return nil
	}
	ready, err := dispatch.NewMock(c, answers...)
	if err != nil {
		errs.add(m.Source, "", "%v", err)
	}
	return ready
}

// Backend is who answers for a webhook.
func (b *Backends) Backend(configuration, webhook string) dispatch.Backend {
	return b.routes.Backend(configuration, webhook)
}

// Declares tells whether one of the mocks is for that webhook.
func (b *Backends) Declares(configuration, webhook string) bool {
	return b.routes.Declares(configuration, webhook)
}

// Unused are the answers that were never given, each as an error; nil where all were.
// Several answers of a webhook that was never called are one.
func (b *Backends) Unused() error {
	var errs Errors
	for i, m := range b.mocks {
		unused := b.ready[i].Unused()
		if len(unused) == len(m.Answers) {
			errs.add(m.Source, "is this the name of a webhook, or configuration/name, and does one of the requests match it?",
				"the mock of %q was never asked", m.Webhook)
			continue
		}
		for _, n := range unused {
			errs.add(m.Answers[n].Source, "", "answer %d of the mock of %q was never given", n+1, m.Webhook)
		}
	}
	return errs.err()
}
