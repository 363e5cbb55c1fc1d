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

// Outage says which requests fail, and which pass unchecked, while webhooks do not answer: those whose names match the
// patterns all at once. Without patterns, what answers for webhooks is down one after the other.
func Outage(w *World, patterns ...string) (*document.Survey, error) {
	if err := w.nothing(); err != nil {
		return nil, err
	}
	s := spaceOf(w)
	d := newSurvey(document.SurveyOfOutages, w)
	var webhooks []*hook
	for i := range w.hooks {
		if h := &w.hooks[i]; !h.Policy {
			webhooks = append(webhooks, h)
		}
	}
	if len(webhooks) == 0 {
		return nil, hint.Add(fmt.Errorf("there is no webhook in %s", w.Name), "name their configurations with -C; policies run in the API server itself, and are not down without it")
	}
	if len(patterns) > 0 {
		var down []*hook
		for _, p := range patterns {
			found := slices.Clone(webhooks)
			if found = slices.DeleteFunc(found, func(h *hook) bool { return !h.named(p) && !h.servedBy(p) }); len(found) == 0 {
				return nil, w.unknown(p)
			}
			down = append(down, found...)
		}
		down = slices.DeleteFunc(slices.Clone(webhooks), func(h *hook) bool { return !slices.Contains(down, h) })
		d.Subjects = append(d.Subjects, outageOf(s, strings.Join(patterns, ", "), down))
		return sized(d, s), nil
	}
	var backends []string
	for _, h := range webhooks {
		if !slices.Contains(backends, h.backend) {
			backends = append(backends, h.backend)
		}
	}
	for _, one := range backends {
		down := slices.DeleteFunc(slices.Clone(webhooks), func(h *hook) bool { return h.backend != one })
		d.Subjects = append(d.Subjects, outageOf(s, one, down))
	}
	return sized(d, s), nil
}

// servedBy reports whether a pattern names the service of a webhook: svc/NAMESPACE/NAME.
func (h *hook) servedBy(pattern string) bool {
	for _, prefix := range []string{"svc/", "service/"} {
		if name, ok := strings.CutPrefix(pattern, prefix); ok {
			return matches(name, strings.TrimPrefix(h.backend, "service "))
		}
	}
	return false
}

// outageOf is what happens while some webhooks are down.
func outageOf(s *space.Space, name string, down []*hook) document.SurveySubject {
	subject := document.SurveySubject{Kind: "without", Name: name}
	var fail, pass []space.Requests
	var names []string
	for _, h := range down {
		names = append(names, h.actor.String())
		asked := s.Region(0, &h.Hook).Asked
		if h.failsOpen() {
			pass = append(pass, asked)
		} else {
			fail = append(fail, asked)
		}
	}
	subject.About = words.Plural(len(names), "webhook") + ": " + few(names)
	of := &down[0].Hook
	subject.Regions = append(subject.Regions, inOne(s, document.WouldFail, fail, nil, of)...)
	subject.Regions = append(subject.Regions, inOne(s, document.WouldPass, pass, fail, of)...)
	return subject
}

// few is a list, of which the first are named.
func few(names []string) string {
	const most = 5
	if len(names) > most+1 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

// inOne are the regions of the requests that are in one of the sets and in none of the others. Where that is too much
// to be written down, each set has regions of its own, which may have some requests of the others.
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
