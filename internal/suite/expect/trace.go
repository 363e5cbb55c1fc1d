package expect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/events"
)

// trace checks how the verdict came about.
func (c *check) trace() {
	want := c.expect.Trace
	if want == nil {
		return
	}
	all := events.Of(c.Result)
	c.order(want.Order, all)
	for i, one := range want.Called {
		if found, called := find(all, one.Name); !called {
			c.fail(fmt.Sprintf("trace.called[%d]", i), one.Name+" called", found).Hint = c.notReached(one.Name, all)
		}
	}
	for i, one := range want.NotCalled {
		path := fmt.Sprintf("trace.notCalled[%d]", i)
		switch found, called := find(all, one.Name); {
		case called:
			c.fail(path, one.Name+" not called", found)
		case !known(all, one.Name) && c.Allowed(): // a denied request does not reach everything
			c.fail(path, one.Name+" not called", nothing)
		}
	}
	for _, one := range want.Rounds {
		if n := rounds(all, one.Name); n != one.Number {
			c.fail(fmt.Sprintf("trace.rounds[%s]", one.Name), fmt.Sprint(one.Number), fmt.Sprint(n)).Hint = c.notReached(one.Name, all)
		}
	}
	for _, one := range want.Skipped {
		c.skipped(one, all)
	}
	if took := c.Elapsed(); want.Within != nil && took > *want.Within {
		c.fail("trace.within", "at most "+want.Within.String(), took.String()).Hint = slowest(all)
	}
}

const nothing = "nothing of that name was looked at"

// find says what happened to a webhook, policy or plugin, and whether it was called.
func find(all []events.Event, pattern string) (text string, called bool) {
	text = nothing
	for _, e := range all {
		switch {
		case !e.Is(pattern):
		case e.Called():
			return e.Name() + " called: " + string(e.Outcome()), true
		case text == nothing:
			text = e.Name() + " skipped: " + e.Because()
		}
	}
	return text, false
}

func known(all []events.Event, pattern string) bool {
	return slices.ContainsFunc(all, func(e events.Event) bool { return e.Is(pattern) })
}

// notReached explains why an existing webhook, policy or plugin was not reached: a denied request does not reach all of
// them.
func (c *check) notReached(pattern string, all []events.Event) string {
	if known(all, pattern) || c.Allowed() {
		return ""
	}
	return "the request was denied before it got there"
}

// order checks that names were called in that order, possibly with others in between. Each is searched for after the
// previous one, over all rounds and phases.
func (c *check) order(want []scenario.NamedPlace, all []events.Event) {
	at := 0
	for i, one := range want {
		n := slices.IndexFunc(all[at:], func(e events.Event) bool { return e.Is(one.Name) && e.Called() })
		if n >= 0 {
			at += n + 1
			continue
		}
		names := make([]string, len(want))
		for i, w := range want {
			names[i] = w.Name
		}
		f := c.fail(fmt.Sprintf("trace.order[%d]", i), strings.Join(names, ", then "), calledText(all, want))
		switch found, called := find(all, one.Name); {
		case called && i > 0:
			f.Hint = fmt.Sprintf("%s was not called after %s", one.Name, want[i-1].Name)
		case found != nothing:
			f.Hint = found
		default:
			f.Hint = c.notReached(one.Name, all)
		}
		return
	}
}

// calledText lists what was called, in order: webhooks, policies, and the plugins that are named.
func calledText(all []events.Event, named []scenario.NamedPlace) string {
	var texts []string
	for _, e := range all {
		if !e.Called() || e.Hook == nil && !slices.ContainsFunc(named, func(n scenario.NamedPlace) bool { return e.Is(n.Name) }) {
			continue
		}
		text := e.Name()
		if e.Step.Round > 0 {
			text += " in the second round"
		}
		texts = append(texts, text)
	}
	return cmp.Or(strings.Join(texts, ", then "), "nothing called")
}

// rounds returns the number of rounds in which a name was called.
func rounds(all []events.Event, pattern string) int {
	seen := map[string]bool{}
	for _, e := range all {
		if e.Is(pattern) && e.Called() {
			seen[fmt.Sprint(e.Step.Phase, e.Step.Round)] = true
		}
	}
	return len(seen)
}

// skipped checks that a webhook, policy or plugin was skipped, and why.
func (c *check) skipped(want scenario.NamedMatch, all []events.Event) {
	path := fmt.Sprintf("trace.skipped[%s]", want.Key)
	text := "skipped"
	if m := want.Match.String(); m != "" {
		text += ", the reason " + m
	}
	found, called := find(all, want.Key)
	if called || found == nothing {
		c.fail(path, text, found).Hint = c.notReached(want.Key, all)
		return
	}
	for _, e := range all {
		if e.Is(want.Key) && e.Step.Round == 0 && !want.Match.Holds(e.Because()) {
			c.fail(path, text, e.Name()+" skipped: "+e.Because())
			return
		}
	}
}

// slowest says what took most of the time.
func slowest(all []events.Event) string {
	var most time.Duration
	text := ""
	for _, e := range all {
		if e.Hook != nil && e.Hook.Duration > most {
			most, text = e.Hook.Duration, fmt.Sprintf("%s took %s", e.Name(), e.Hook.Duration)
		}
	}
	return text
}
