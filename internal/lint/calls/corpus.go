// Package calls has the rules of admsim lint about what webhooks and mutating policies do with the requests of a corpus.
// [Run] looks at the calls, and [Rules] report what is wrong with them.
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
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
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

// A Corpus is what webhooks and mutating policies did with the requests of a corpus. It does not contain requests. The
// zero value is for no requests.
type Corpus struct {
	Requests int
	Bugs     bug.Counter // the request that each bug is about was left out

	subject    *lint.Subject
	rules      []rule // rules that look at each call
	statements map[string]*statement
	order      []*statement
	acts       map[hook]*acts

	reached   map[hook]bool        // by any request
	failed    map[hook]*conditions // those that refused requests because a match condition failed
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

// A hook is a webhook or a policy. The other field is nil.
type hook struct {
	webhook *lint.Hook
	policy  *lint.Policy
}

// name returns a name that no other hook has.
func (h hook) name() string {
	if h.webhook != nil {
		return h.webhook.Kind() + h.webhook.String()
	}
	return lint.NameOf(h.policy.Manifest)
}

// field returns the place of what the hook does to objects.
func (h hook) field() lint.Field {
	if h.webhook != nil {
		return h.webhook.Field("")
	}
	return h.policy.Field("mutations")
}

// acts counts what one hook did.
type acts struct {
	calls, idle int
	repeated    int    // calls that were repeated with their own output
	patch       []byte // of the first call
	different   bool   // another call did something else
}

// A call is one call of a webhook, or one application of a mutating policy, in one request.
type call struct {
	hook hook
	step trace.Step
	did  trace.Hook
	from *Answered
	in   trace.Admission
}

// Run answers the requests, one after the other, and looks at the calls of the webhooks.
func Run(ctx context.Context, s *lint.Subject, requests iter.Seq2[Answered, error]) (*Corpus, error) {
	c := &Corpus{subject: s, statements: map[string]*statement{}, acts: map[hook]*acts{}, reached: map[hook]bool{}, failed: map[hook]*conditions{}}
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

// conditions are match conditions that failed.
type conditions struct {
	requests int    // that were refused
	because  string // for the first of them
	first    scenario.Source
}

// fail counts a request that a hook refused because a match condition failed.
func (c *Corpus) fail(h hook, did trace.Hook, from *Answered) {
	if c.failed[h] == nil {
		c.failed[h] = &conditions{because: did.Because, first: from.Source}
	}
	c.failed[h].requests++
}

// take looks at the calls of webhooks and mutating policies, and reports whether any webhook was called, or refused the
// request without a call.
func (c *Corpus) take(ctx context.Context, a trace.Admission, from *Answered) (reached bool) {
	for _, step := range a.Steps {
		for _, did := range step.Hooks {
			if !did.Called {
				if did.Denial == nil || did.Decided.Part != trace.MatchConditions {
					continue
				}
				if h, ok := c.hookOf(step, did); ok {
					c.fail(h, did, from)
					reached = reached || whatif.IsWebhook(step)
				}
				continue
			}
			reached = reached || whatif.IsWebhook(step)
			h, ok := c.hookOf(step, did)
			if !ok {
				continue
			}
			c.reached[h] = true
			switch {
			case h.webhook != nil && from.Known != nil && !from.Known(did.Configuration, did.Name):
				continue
			case h.policy != nil && !h.policy.Selection().Mutating:
				continue // it changes nothing
			}
			one := call{h, step, did, from, a}
			c.count(one)
			c.look(ctx, one)
		}
	}
	return reached
}

// hookOf returns the webhook or policy that did something in a step.
func (c *Corpus) hookOf(step trace.Step, did trace.Hook) (hook, bool) {
	if whatif.IsWebhook(step) {
		i := slices.IndexFunc(c.subject.Hooks, func(h *lint.Hook) bool {
			return h.Mutating == (step.Phase == trace.Mutating) && h.Configuration == did.Configuration && h.Name == did.Name
		})
		if i < 0 {
			return hook{}, false
		}
		return hook{webhook: c.subject.Hooks[i]}, true
	}
	i := slices.IndexFunc(c.subject.Policies, func(p *lint.Policy) bool {
		plugin := lint.ValidatingPolicies
		if p.Selection().Mutating {
			plugin = lint.MutatingPolicies
		}
		return step.Plugin == plugin && p.Manifest.Name == did.Configuration
	})
	if i < 0 {
		return hook{}, false
	}
	return hook{policy: c.subject.Policies[i]}, true
}

// look judges one call.
func (c *Corpus) look(ctx context.Context, one call) {
	for _, rule := range c.rules {
		for _, text := range rule.call(ctx, c, one) {
			key := rule.ID + one.hook.name() + "\x00" + text
			s := c.statements[key]
			if s == nil {
				s = &statement{rule: rule.ID, at: one.hook.field(), text: text, first: one.from.Source}
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
	// An ApplyConfiguration cuts the times in managedFields to seconds, which counts as a change for the server.
	same := one.did.Outcome == trace.Changed && one.hook.policy != nil && len(c.changes(one.did.Before, one.did.After)) == 0
	if (same || one.did.Outcome == trace.Allowed) && len(one.did.Warnings) == 0 && !one.annotates() {
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
