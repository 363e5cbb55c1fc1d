package suite

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/trace"
)

// An event is what a plugin, or one webhook or policy of it, did in one step.
type event struct {
	step *trace.Step
	hook *trace.Hook // nil: the plugin itself
}

// events are all of the answer, in order.
func (c *check) events() (all []event) {
	for i := range c.Result.Admissions {
		steps := c.Result.Admissions[i].Steps
		for j := range steps {
			if steps[j].Phase == trace.Server {
				continue
			}
			all = append(all, event{step: &steps[j]})
			for k := range steps[j].Hooks {
				all = append(all, event{&steps[j], &steps[j].Hooks[k]})
			}
		}
	}
	return all
}

func (e event) is(pattern string) bool {
	if e.hook == nil {
		return e.step.Plugin == pattern
	}
	if e.step.Plugin == mutatingPolicies || e.step.Plugin == validatingPolicies {
		return policyNamed(pattern, e.hook.Configuration, e.hook.Name)
	}
	return hookNamed(pattern, e.hook.Configuration, e.hook.Name)
}

func (e event) name() string {
	if e.hook == nil {
		return e.step.Plugin
	}
	return strings.TrimSuffix(e.hook.Configuration+"/"+e.hook.Name, "/")
}

func (e event) outcome() trace.Outcome {
	if e.hook == nil {
		return e.step.Outcome
	}
	return e.hook.Outcome
}

func (e event) called() bool { return e.outcome() != trace.Skipped }

func (e event) because() string {
	if e.hook == nil {
		return e.step.Because
	}
	return e.hook.Because
}

// trace checks how the verdict came about.
func (c *check) trace() {
	want := c.expect.Trace
	if want == nil {
		return
	}
	events := c.events()
	c.order(want.Order, events)
	for i, one := range want.Called {
		if found, called := find(events, one.Name); !called {
			c.fail(fmt.Sprintf("trace.called[%d]", i), one.Name+" called", found).Hint = c.notReached(one.Name, events)
		}
	}
	for i, one := range want.NotCalled {
		path := fmt.Sprintf("trace.notCalled[%d]", i)
		switch found, called := find(events, one.Name); {
		case called:
			c.fail(path, one.Name+" not called", found)
		case !known(events, one.Name):
			c.fail(path, one.Name+" not called", nothing).Hint = c.notReached(one.Name, events)
		}
	}
	for _, one := range want.Rounds {
		if n := rounds(events, one.Name); n != one.Number {
			c.fail(fmt.Sprintf("trace.rounds[%s]", one.Name), fmt.Sprint(one.Number), fmt.Sprint(n)).Hint = c.notReached(one.Name, events)
		}
	}
	for _, one := range want.Skipped {
		c.skipped(one, events)
	}
	if took := elapsed(c.Result); want.Within != nil && took > *want.Within {
		c.fail("trace.within", "at most "+want.Within.String(), took.String()).Hint = slowest(events)
	}
}

const nothing = "nothing of that name was looked at"

// find returns what happened to a name: whether a webhook of that name was called.
func find(events []event, pattern string) (text string, called bool) {
	text = nothing
	for _, e := range events {
		switch {
		case !e.is(pattern):
		case e.called():
			return e.name() + " called: " + string(e.outcome()), true
		case text == nothing:
			text = e.name() + " skipped: " + e.because()
		}
	}
	return text, false
}

func known(events []event, pattern string) bool {
	return slices.ContainsFunc(events, func(e event) bool { return e.is(pattern) })
}

// notReached says why nothing of a name was looked at, which is there: a request that is denied does
// not come to all that there is.
func (c *check) notReached(pattern string, events []event) string {
	if known(events, pattern) || c.allowed() {
		return ""
	}
	return "the request was denied before it came to it"
}

// order checks that names were called in that order, others in between or not: each is looked for
// behind the one before, over all rounds and phases.
func (c *check) order(want []scenario.NamedPlace, events []event) {
	at := 0
	for i, one := range want {
		n := slices.IndexFunc(events[at:], func(e event) bool { return e.is(one.Name) && e.called() })
		if n >= 0 {
			at += n + 1
			continue
		}
		names := make([]string, len(want))
		for i, w := range want {
			names[i] = w.Name
		}
		f := c.fail(fmt.Sprintf("trace.order[%d]", i), strings.Join(names, ", then "), calledText(events, want))
		switch found, called := find(events, one.Name); {
		case called && i > 0:
			f.Hint = fmt.Sprintf("%s was not called after %s", one.Name, want[i-1].Name)
		case found != nothing:
			f.Hint = found
		default:
			f.Hint = c.notReached(one.Name, events)
		}
		return
	}
}

// calledText is what was called, in order: webhooks, policies, and the plugins that are named.
func calledText(events []event, named []scenario.NamedPlace) string {
	var all []string
	for _, e := range events {
		if !e.called() || e.hook == nil && !slices.ContainsFunc(named, func(n scenario.NamedPlace) bool { return e.is(n.Name) }) {
			continue
		}
		text := e.name()
		if e.step.Round > 0 {
			text += " in the second round"
		}
		all = append(all, text)
	}
	return first(strings.Join(all, ", then "), "nothing called")
}

// rounds is in how many rounds a name was called.
func rounds(events []event, pattern string) int {
	seen := map[string]bool{}
	for _, e := range events {
		if e.is(pattern) && e.called() {
			seen[fmt.Sprint(e.step.Phase, e.step.Round)] = true
		}
	}
	return len(seen)
}

// skipped checks that what has a name was skipped, and why.
func (c *check) skipped(want scenario.NamedMatch, events []event) {
	path := fmt.Sprintf("trace.skipped[%s]", want.Key)
	text := "skipped"
	if m := want.Match.String(); m != "" {
		text += ", the reason " + m
	}
	found, called := find(events, want.Key)
	if called || found == nothing {
		c.fail(path, text, found).Hint = c.notReached(want.Key, events)
		return
	}
	for _, e := range events {
		if e.is(want.Key) && e.step.Round == 0 && !want.Match.Holds(e.because()) {
			c.fail(path, text, e.name()+" skipped: "+e.because())
			return
		}
	}
}

// slowest says who took most of the time.
func slowest(events []event) string {
	var most time.Duration
	text := ""
	for _, e := range events {
		if e.hook != nil && e.hook.Duration > most {
			most, text = e.hook.Duration, fmt.Sprintf("%s took %s", e.name(), e.hook.Duration)
		}
	}
	return text
}
