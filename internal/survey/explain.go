package survey

import (
	"fmt"
	"path"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// Explain returns which requests the webhooks and policies are asked about whose names match a pattern. The pattern may
// match their own name, that of their configuration or policy, or both with a slash.
func Explain(w *World, pattern string) (*document.Survey, error) {
	if err := w.nothing(); err != nil {
		return nil, err
	}
	s := spaceOf(w)
	d := newSurvey(document.SurveyOfHooks, w)
	for i := range w.hooks {
		h := &w.hooks[i]
		if pattern != "*" && !h.named(pattern) {
			continue
		}
		r := s.Region(0, &h.Hook)
		all := slices.Concat(
			regions(s, document.IsAsked, r.Asked, &h.Hook),
			regions(s, document.IsFailing, r.Failed, &h.Hook),
			w.withReasons(h, regions(s, document.IsRefused, s.Minus(r.Refused, r.Failed), &h.Hook)),
		)
		subject := subjectOf(s, h, all)
		if len(all) == 0 && subject.About == "" {
			subject.About = unmatched(s, h)
		}
		d.Subjects = append(d.Subjects, subject)
	}
	if len(d.Subjects) == 0 {
		return nil, w.unknown(pattern)
	}
	d.Unserved = unserved(s, w)
	return sized(d, s), nil
}

func (h *hook) named(pattern string) bool {
	return matches(pattern, h.actor.Name, h.actor.Configuration, h.actor.Configuration+"/"+h.actor.Name)
}

// matches reports whether a pattern matches one of the names.
func matches(pattern string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// unknown returns the error about a pattern that matches no hook.
func (w *World) unknown(pattern string) error {
	return unknown("no webhook and no policy", pattern, w.names())
}

// unknown returns the error about a pattern that matches none of the names.
func unknown(nobody, pattern string, names []string) error {
	unknown := didyoumean.Unknown(fmt.Sprintf("%s is named %q", nobody, pattern), pattern, names)
	unknown.Else = "there are " + words.Few(names)
	return unknown
}

// names returns the names of all webhooks and policies.
func (w *World) names() (names []string) {
	for i := range w.hooks {
		names = append(names, w.hooks[i].actor.Configuration+"/"+w.hooks[i].actor.Name)
	}
	return names
}
