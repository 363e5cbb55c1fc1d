package survey

import (
	"errors"
	"slices"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/space"
)

// Changes of a hook.
const (
	added   = "added"
	removed = "removed"
	changed = "changed"
)

// Diff says of every webhook and policy which requests it is newly asked about, and which no longer, as base becomes head.
// Of those that are the document's Same, it is proved that there are none.
func Diff(base, head *World) (*document.Survey, error) {
	if len(base.hooks)+len(head.hooks) == 0 {
		return nil, hint.Add(errors.New("there are no webhooks and no policies in either world"), "name the files or folders that have some with --base, --head or -C; a policy counts with its bindings")
	}
	s := spaceOf(base, head)
	d := newSurvey(document.SurveyOfChanges, head)
	d.Base = base.Name
	for i := range base.hooks {
		old := &base.hooks[i]
		if now := find(head, old.id); now == nil {
			before := s.Region(0, &old.Hook)
			d.Subjects = append(d.Subjects, differences(s, old, removed, before, space.Region{Asked: s.Nothing(), Refused: s.Nothing()}))
		}
	}
	for i := range head.hooks {
		now := &head.hooks[i]
		before, change := space.Region{Asked: s.Nothing(), Refused: s.Nothing()}, added
		if old := find(base, now.id); old != nil {
			before, change = s.Region(0, &old.Hook), changed
			d.Uncompared = append(d.Uncompared, changedSettings(old, now)...)
		}
		subject := differences(s, now, change, before, s.Region(1, &now.Hook))
		if change == changed && len(subject.Regions) == 0 {
			d.Same = append(d.Same, now.actor)
			continue
		}
		d.Subjects = append(d.Subjects, subject)
	}
	return sized(d, s), nil
}

func find(w *World, id string) *hook {
	i := slices.IndexFunc(w.hooks, func(h hook) bool { return h.id == id })
	if i < 0 {
		return nil
	}
	return &w.hooks[i]
}

func differences(s *space.Space, h *hook, change string, before, after space.Region) document.SurveySubject {
	subject := document.SurveySubject{
		Kind: h.kind(), Webhook: h.actor, Change: change,
		Regions: slices.Concat(
			regions(s, document.NewlyAsked, s.Minus(after.Asked, before.Asked), &h.Hook),
			regions(s, document.NoLongerAsked, s.Minus(before.Asked, after.Asked), &h.Hook),
			regions(s, document.NewlyRefused, s.Minus(after.Refused, before.Refused), &h.Hook),
			regions(s, document.NoLongerRefused, s.Minus(before.Refused, after.Refused), &h.Hook),
		),
	}
	if len(subject.Regions) == 0 {
		subject.About = silent(s, h)
	}
	return subject
}
