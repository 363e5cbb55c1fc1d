package lint

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/trace"
)

// A corpus is what the webhooks did with the requests of a corpus. It holds no request.
type corpus struct {
	requests int
	rules    []Rule // that look at calls
	said     map[string]*said
	order    []*said
	acts     map[*hook]*acts
}

// A said is one sentence of one rule about one webhook.
type said struct {
	rule  string
	hook  *hook
	text  string
	calls int
	first scenario.Source
}

// acts are all that one webhook did.
type acts struct {
	calls, idle int
	repeated    int    // calls that were repeated with their own output
	patch       []byte // of the first call
	different   bool   // another call did something else
}

// A call is one call of a webhook, in one request.
type call struct {
	hook *hook
	did  trace.Hook
	from *Answered
	in   trace.Admission
}

// runCorpus has the requests answered, one after the other.
func (s *subject) runCorpus() error {
	if s.Corpus == nil {
		return nil
	}
	s.corpus = corpus{said: map[string]*said{}, acts: map[*hook]*acts{}}
	for _, rule := range Rules() {
		if rule.call != nil {
			s.corpus.rules = append(s.corpus.rules, rule)
		}
	}
	for answered, err := range s.Corpus {
		if err != nil {
			return err
		}
		s.corpus.requests++
		if err := s.takeAll(&answered); err != nil {
			s.bugs.Add(fmt.Errorf("%s: %w", answered.Source, err))
		}
	}
	return nil
}

// takeAll looks at what became of a request; a bug is its error.
func (s *subject) takeAll(from *Answered) (err error) {
	defer bug.Catch(&err)
	for _, a := range from.Result.Admissions {
		s.take(a, from)
	}
	return nil
}

func (s *subject) take(a trace.Admission, from *Answered) {
	for _, step := range a.Steps {
		mutating := step.Plugin == "MutatingAdmissionWebhook"
		if !mutating && step.Plugin != "ValidatingAdmissionWebhook" {
			continue
		}
		for _, did := range step.Hooks {
			if !did.Called || from.Known != nil && !from.Known(did.Configuration, did.Name) {
				continue
			}
			i := slices.IndexFunc(s.hooks, func(h *hook) bool {
				return h.Mutating == mutating && h.Configuration == did.Configuration && h.Name == did.Name
			})
			if i >= 0 {
				s.look(call{s.hooks[i], did, from, a})
			}
		}
	}
}

// look judges one call.
func (s *subject) look(c call) {
	s.corpus.count(c)
	for _, rule := range s.corpus.rules {
		for _, text := range rule.call(s, c) {
			key := rule.ID + c.hook.Kind() + c.hook.String() + "\x00" + text
			one := s.corpus.said[key]
			if one == nil {
				one = &said{rule: rule.ID, hook: c.hook, text: text, first: c.from.Source}
				s.corpus.said[key] = one
				s.corpus.order = append(s.corpus.order, one)
			}
			one.calls++
		}
	}
}

func (c *corpus) count(one call) {
	a := c.acts[one.hook]
	if a == nil {
		a = &acts{patch: one.did.Patch}
		c.acts[one.hook] = a
	}
	a.calls++
	if one.did.Outcome == trace.Allowed && len(one.did.Warnings) == 0 && !one.annotates() {
		a.idle++
	}
	a.different = a.different || one.did.Outcome != trace.Changed || !bytes.Equal(one.did.Patch, a.patch)
}

// report reports what a rule has to say of calls.
func (c *corpus) report(r *reporter) {
	for _, one := range c.order {
		if one.rule != r.rule.ID {
			continue
		}
		text := one.text
		if one.calls > 1 {
			text += fmt.Sprintf(" (in %d requests)", one.calls)
		}
		f := r.at(one.hook.field(""), "%s", text)
		f.Related = append(f.Related, Related{one.first, "the request"})
	}
}
