package survey

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/space"
)

// Outage returns which requests fail, and which pass unchecked, while webhooks do not answer. Those that match the
// patterns are down at the same time; without patterns, the servers of webhooks are down one after the other. Webhooks
// that convert custom resources are included.
func Outage(w *World, patterns ...string) (*document.Survey, error) {
	all := down{conversions: w.conversions}
	for i := range w.hooks {
		if h := &w.hooks[i]; !h.Policy {
			all.hooks = append(all.hooks, h)
		}
	}
	if all.isEmpty() {
		if err := w.nothing(); err != nil {
			return nil, err
		}
		return nil, hint.Add(fmt.Errorf("there is no webhook in %s", w.Name), "name their configurations with -C; policies run in the API server itself, so they cannot be down while it is up")
	}
	s := spaceOf(w)
	d := newSurvey(document.SurveyOfOutages, w)
	if len(patterns) > 0 {
		for _, p := range patterns {
			if all.named(p).isEmpty() {
				return nil, unknown("no webhook", p, all.names())
			}
		}
		all = all.named(patterns...)
		d.Subjects = append(d.Subjects, w.outageOf(s, strings.Join(patterns, ", "), all))
	} else {
		for _, one := range all.backends() {
			d.Subjects = append(d.Subjects, w.outageOf(s, one, all.behind(one)))
		}
	}
	for _, h := range all.hooks {
		addUnserved(d, s, h)
	}
	return sized(d, s), nil
}

// A down lists what is down at the same time.
type down struct {
	hooks       []*hook
	conversions []conversion
}

// names returns the names of all of them.
func (d down) names() (names []string) {
	for _, h := range d.hooks {
		names = append(names, h.actor.Configuration+"/"+h.actor.Name)
	}
	for i := range d.conversions {
		names = append(names, d.conversions[i].name())
	}
	return names
}

func (d down) isEmpty() bool { return len(d.hooks)+len(d.conversions) == 0 }

// backends returns the servers that answer for them, each once.
func (d down) backends() (all []string) {
	for _, h := range d.hooks {
		all = append(all, h.backend)
	}
	for _, c := range d.conversions {
		all = append(all, c.backend)
	}
	var once []string
	for _, one := range all {
		if !slices.Contains(once, one) {
			once = append(once, one)
		}
	}
	return once
}

func (d down) behind(backend string) (some down) {
	return d.which(func(h *hook) bool { return h.backend == backend }, func(c *conversion) bool { return c.backend == backend })
}

// named returns those that match one of the patterns.
func (d down) named(patterns ...string) down {
	return d.which(
		func(h *hook) bool {
			return slices.ContainsFunc(patterns, func(p string) bool { return h.named(p) || servedBy(p, h.backend) })
		},
		func(c *conversion) bool { return slices.ContainsFunc(patterns, c.matches) },
	)
}

func (d down) which(hooks func(*hook) bool, conversions func(*conversion) bool) (some down) {
	for _, h := range d.hooks {
		if hooks(h) {
			some.hooks = append(some.hooks, h)
		}
	}
	for i := range d.conversions {
		if conversions(&d.conversions[i]) {
			some.conversions = append(some.conversions, d.conversions[i])
		}
	}
	return some
}

// servedBy reports whether a pattern names the service that answers for a webhook: svc/NAMESPACE/NAME.
func servedBy(pattern, backend string) bool {
	service, ok := strings.CutPrefix(backend, "service ")
	if !ok {
		return false
	}
	for _, prefix := range []string{"svc/", "service/"} {
		if name, ok := strings.CutPrefix(pattern, prefix); ok {
			return matches(name, service)
		}
	}
	return false
}

// outageOf returns what happens while some webhooks are down.
func (w *World) outageOf(s *space.Space, name string, without down) document.SurveySubject {
	subject := document.SurveySubject{Kind: "without", Name: name, About: without.String()}
	fail := w.failing(s, without.conversions)
	var pass []space.Requests
	var of *space.Hook
	for _, h := range without.hooks {
		of = &without.hooks[0].Hook
		asked := s.Region(0, &h.Hook).Asked
		if h.failsOpen() {
			pass = append(pass, asked)
		} else {
			fail = append(fail, asked)
		}
	}
	subject.Regions = append(subject.Regions, inOne(s, document.WouldFail, fail, nil, of)...)
	subject.Regions = append(subject.Regions, inOne(s, document.WouldPass, pass, fail, of)...)
	return subject
}

// String describes what is down.
func (d down) String() string {
	var parts []string
	if n := len(d.hooks); n > 0 {
		var names []string
		for _, h := range d.hooks {
			names = append(names, h.actor.String())
		}
		parts = append(parts, words.Plural(n, "webhook")+": "+few(names))
	}
	if len(d.conversions) > 0 {
		var names []string
		for _, c := range d.conversions {
			names = append(names, fmt.Sprintf("%s (stored as %s)", c.resource, c.stored))
		}
		parts = append(parts, "what converts "+few(names)+" between versions")
	}
	return strings.Join(parts, "; ")
}

// few returns a list that names only the first few.
func few(names []string) string {
	const most = 5
	if len(names) > most+1 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

// inOne returns regions of the requests that are in one of the sets and in none of the sets in but. If that would be
// too large, each set gets its own regions, which may include requests of the other sets.
func inOne(s *space.Space, what string, sets, but []space.Requests, of *space.Hook) (all []document.SurveyRegion) {
	if union, ok := s.Union(sets...); ok {
		if left, ok := s.Without(union, but...); ok {
			return regions(s, what, left, of)
		}
	}
	for _, one := range sets {
		all = append(all, regions(s, what, one, of)...)
	}
	return all
}
