// Package calls has the rules of admsim lint about what webhooks do with the requests of a corpus. [Run] looks at the
// calls, and [Rules] report what is wrong with them.
//
// Only webhooks whose answers are known are judged by them. Whether requests reach a webhook, and what a recording says
// about its patches, counts for all webhooks.
package calls

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// An Answered is one request of a corpus and its result.
type Answered struct {
	world.Asked
	Source scenario.Source
	Result *simulator.Result

	// Recorded is the record of the request, with what webhooks really did. Nil: it was written by hand.
	Recorded *recording.Record

	// Known reports whether the answers of a webhook are known. A webhook whose answers are only assumed is not judged
	// by what it does. Nil: all are known.
	Known func(configuration, webhook string) bool
}

// A Corpus is what the webhooks did with the requests of a corpus. It does not contain requests. The zero value is for
// no requests.
type Corpus struct {
	Requests int
	Bugs     bug.Counter // the request that each bug is about was left out

	subject    *lint.Subject
	rules      []rule // rules that look at each call
	statements map[string]*statement
	order      []*statement
	acts       map[*lint.Hook]*acts

	reached   map[*lint.Hook]bool // by any request
	unreached []Unreached
	fights    fights
}

// A statement is one sentence of one rule about one webhook or policy.
type statement struct {
	rule  string
	at    lint.Field
	text  string
	calls int
	first scenario.Source
}

// acts counts what one webhook did.
type acts struct {
	calls, idle int
	repeated    int    // calls that were repeated with their own output
	patch       []byte // of the first call
	different   bool   // another call did something else
}

// A call is one call of a webhook, or one application of a mutating policy, in one request.
type call struct {
	hook *lint.Hook // nil: a policy
	did  trace.Hook
	from *Answered
	in   trace.Admission
}

// Run answers the requests, one after the other, and looks at the calls of the webhooks.
func Run(ctx context.Context, s *lint.Subject, requests iter.Seq2[Answered, error]) (*Corpus, error) {
	c := &Corpus{subject: s, statements: map[string]*statement{}, acts: map[*lint.Hook]*acts{}, reached: map[*lint.Hook]bool{}}
	for _, one := range rules() {
		if one.call != nil {
			c.rules = append(c.rules, one)
		}
	}
	for answered, err := range requests {
		if err != nil {
			return nil, err
		}
		c.Requests++
		if err := c.takeAll(ctx, &answered); err != nil {
			c.Bugs.Add(fmt.Errorf("%s: %w", answered.Source, err))
		}
	}
	return c, nil
}

// takeAll looks at the result of a request, and returns a panic as its error.
func (c *Corpus) takeAll(ctx context.Context, from *Answered) (err error) {
	defer bug.Catch(&err)
	if from.Recorded != nil {
		c.fights.record(c.subject, from.Recorded)
	}
	reached := false
	for _, a := range from.Result.Admissions {
		reached = c.take(ctx, a, from) || reached
	}
	if !reached {
		c.missed(from)
	}
	return nil
}

// take looks at the calls of webhooks, and reports whether there were any.
func (c *Corpus) take(ctx context.Context, a trace.Admission, from *Answered) (reached bool) {
	for _, step := range a.Steps {
		if step.Plugin == "MutatingAdmissionPolicy" {
			c.policies(ctx, step, from, a)
		}
		mutating := step.Plugin == "MutatingAdmissionWebhook"
		if !mutating && step.Plugin != "ValidatingAdmissionWebhook" {
			continue
		}
		for _, did := range step.Hooks {
			if !did.Called {
				continue
			}
			reached = true
			i := slices.IndexFunc(c.subject.Hooks, func(h *lint.Hook) bool {
				return h.Mutating == mutating && h.Configuration == did.Configuration && h.Name == did.Name
			})
			if i < 0 {
				continue
			}
			c.reached[c.subject.Hooks[i]] = true
			if from.Known == nil || from.Known(did.Configuration, did.Name) {
				one := call{c.subject.Hooks[i], did, from, a}
				c.count(one)
				c.look(ctx, one, one.hook.Kind()+one.hook.String(), one.hook.Field(""))
			}
		}
	}
	return reached
}

// policies looks at what mutating policies did.
func (c *Corpus) policies(ctx context.Context, step trace.Step, from *Answered, a trace.Admission) {
	for _, did := range step.Hooks {
		for _, p := range c.subject.Policies {
			if did.Called && p.Selection().Mutating && cluster.KeyOf(p.Object).Name == did.Configuration {
				c.look(ctx, call{nil, did, from, a}, step.Plugin+did.Configuration, p.Field("mutations"))
			}
		}
	}
}

// look judges one call of what has a name and a place.
func (c *Corpus) look(ctx context.Context, one call, name string, at lint.Field) {
	for _, rule := range c.rules {
		if one.hook == nil && !rule.policies {
			continue
		}
		for _, text := range rule.call(ctx, c, one) {
			key := rule.ID + name + "\x00" + text
			s := c.statements[key]
			if s == nil {
				s = &statement{rule: rule.ID, at: at, text: text, first: one.from.Source}
				c.statements[key] = s
				c.order = append(c.order, s)
			}
			s.calls++
		}
	}
}

func (c *Corpus) count(one call) {
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

// report reports the findings of the current rule about calls.
func (c *Corpus) report(r *lint.Reporter) {
	for _, one := range c.order {
		if one.rule != r.Rule.ID {
			continue
		}
		text := one.text
		if one.calls > 1 {
			text += fmt.Sprintf(" (in %d requests)", one.calls)
		}
		f := r.At(one.at, "%s", text)
		f.Related = append(f.Related, lint.Related{Source: one.first, Message: "the request"})
	}
}
