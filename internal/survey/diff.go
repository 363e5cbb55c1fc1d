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
	renamed = "renamed"
)

// Diff returns, for every webhook and policy, the requests that it is newly asked about, and those that it is no longer
// asked about, as base becomes head. For the hooks in Same, it is proved that there are none.
func Diff(base, head *World) (*document.Survey, error) {
	if len(base.hooks)+len(head.hooks) == 0 {
		return nil, hint.Add(errors.New("there are no webhooks and no policies in either world"), "name the files or folders that have some with --base, --head or -C; a policy counts with its bindings")
	}
	b := &between{Space: spaceOf(base, head), base: base, head: head}
	d := newSurvey(document.SurveyOfChanges, head)
	d.Base = base.Name
	nothing := space.Region{Asked: b.Nothing(), Refused: b.Nothing()}
	pairs := b.pairs()
	for _, p := range pairs {
		if p.now == nil {
			d.Subjects = append(d.Subjects, b.subject(p.old, removed, b.regions(b.Region(0, &p.old.Hook), nothing, b.whole(0, &p.old.Hook))))
		}
	}
	for _, p := range pairs {
		switch {
		case p.now == nil:
			continue
		case p.old == nil:
			regions := b.regions(nothing, b.Region(1, &p.now.Hook), b.whole(1, &p.now.Hook))
			d.Subjects = append(d.Subjects, b.subject(p.now, added, head.withReasons(p.now, regions)))
			continue
		}
		d.Uncompared = append(d.Uncompared, changedSettings(p.old, p.now, head.apart(p.now))...)
		regions, change := b.differences(p.now, b.Region(0, &p.old.Hook), b.Region(1, &p.now.Hook)), changed
		switch isRenamed := p.old.id != p.now.id; {
		case len(regions) == 0 && !isRenamed:
			d.Same = append(d.Same, head.apart(p.now))
			continue
		case len(regions) == 0:
			change = renamed
		}
		subject := b.subject(p.now, change, head.withReasons(p.now, regions))
		if p.old.id != p.now.id {
			subject.Before = &p.old.actor
		}
		d.Subjects = append(d.Subjects, subject)
	}
	d.Unserved = unserved(b.Space, base, head)
	return sized(d, b.Space), nil
}

// A between is the space of two worlds: base is the first and head the second world of the space.
type between struct {
	*space.Space
	base, head *World
}

// A pair holds a hook in both worlds. One of them is nil if the hook was added or removed.
type pair struct{ old, now *hook }

// pairs pairs the hooks of both worlds, in the order of base and then of head. It matches them by their full names;
// then, for those that are left, by the name of the webhook or binding alone, and then by being asked about the same
// requests. The last two count only if there is exactly one match.
func (b *between) pairs() (all []pair) {
	partner := map[*hook]*hook{}
	var onlyBase, onlyHead []*hook
	for i := range b.head.hooks {
		now := &b.head.hooks[i]
		if old := find(b.base, now.id); old != nil {
			partner[old], partner[now] = now, old
		} else {
			onlyHead = append(onlyHead, now)
		}
	}
	for i := range b.base.hooks {
		if old := &b.base.hooks[i]; partner[old] == nil {
			onlyBase = append(onlyBase, old)
		}
	}
	for _, alike := range []func(old, now *hook) bool{
		func(old, now *hook) bool { return old.actor.Name == now.actor.Name },
		b.sameRequests(),
	} {
		matches := func(h *hook, others []*hook, is func(other *hook) bool) (only *hook) {
			n := 0
			for _, other := range others {
				if partner[other] == nil && other.actor.Plugin == h.actor.Plugin && other.Static == h.Static && is(other) {
					only, n = other, n+1
				}
			}
			if n != 1 {
				return nil
			}
			return only
		}
		var found []pair
		for _, old := range onlyBase {
			if partner[old] != nil {
				continue
			}
			now := matches(old, onlyHead, func(now *hook) bool { return alike(old, now) })
			if now != nil && matches(now, onlyBase, func(other *hook) bool { return alike(other, now) }) == old {
				found = append(found, pair{old, now})
			}
		}
		for _, p := range found {
			partner[p.old], partner[p.now] = p.now, p.old
		}
	}
	for i := range b.base.hooks {
		if old := &b.base.hooks[i]; partner[old] == nil {
			all = append(all, pair{old: old})
		}
	}
	for i := range b.head.hooks {
		now := &b.head.hooks[i]
		all = append(all, pair{partner[now], now})
	}
	return all
}

// sameRequests returns a function that reports whether two hooks are asked about the same requests, and about any at
// all.
func (b *between) sameRequests() func(old, now *hook) bool {
	known := map[*hook]space.Region{}
	region := func(world int, h *hook) space.Region {
		if _, ok := known[h]; !ok {
			known[h] = b.Region(world, &h.Hook)
		}
		return known[h]
	}
	return func(old, now *hook) bool {
		before, after := region(0, old), region(1, now)
		return !after.Asked.IsEmpty() && slices.Equal(before.Asked, after.Asked) && slices.Equal(before.Refused, after.Refused)
	}
}

func find(w *World, id string) *hook {
	i := slices.IndexFunc(w.hooks, func(h hook) bool { return h.id == id })
	if i < 0 {
		return nil
	}
	return &w.hooks[i]
}

func (b *between) subject(h *hook, change string, regions []document.SurveyRegion) document.SurveySubject {
	subject := subjectOf(b.Space, h, regions)
	subject.Change = change
	return subject
}

// differences returns the requests that a hook in both worlds is newly asked about, and no longer asked about.
func (b *between) differences(h *hook, before, after space.Region) []document.SurveyRegion {
	return b.regions(before, after, func(what string, r space.Requests) []document.SurveyRegion { return b.apart(what, r, &h.Hook) })
}

// regions returns the requests whose treatment changes, in the form of a document.
func (b *between) regions(before, after space.Region, written func(what string, r space.Requests) []document.SurveyRegion) []document.SurveyRegion {
	return slices.Concat(
		written(document.NewlyAsked, b.Minus(after.Asked, before.Asked)),
		written(document.NoLongerAsked, b.Minus(before.Asked, after.Asked)),
		written(document.NewlyRefused, b.Minus(after.Refused, before.Refused)),
		written(document.NoLongerRefused, b.Minus(before.Refused, after.Refused)),
	)
}

// maxNew is the number of resources served by one world only that are listed one by one.
const maxNew = 12

// apart converts requests to regions. Requests to resources that only one of the worlds serves get their own regions:
// there it is not the hook that changed.
func (b *between) apart(what string, r space.Requests, of *space.Hook) (all []document.SurveyRegion) {
	among := func(base, head bool) func(*space.Endpoint) bool {
		return func(e *space.Endpoint) bool { return e.Served(0) == base && e.Served(1) == head }
	}
	both, onlyHead, onlyBase := among(true, true), among(false, true), among(true, false)
	return slices.Concat(
		regionsOf(b.Space, what, b.Where(r, both), space.Whole{Of: of, Among: both}, ""),
		regionsOf(b.Space, what, b.Where(r, onlyHead), space.Whole{Of: of, Among: onlyHead, Named: maxNew}, "which "+b.base.Name+" does not serve"),
		regionsOf(b.Space, what, b.Where(r, onlyBase), space.Whole{Of: of, Among: onlyBase, Named: maxNew}, "which "+b.head.Name+" does not serve"),
	)
}

// whole returns a function that converts requests to one of the worlds, for a hook that the other world does not have.
func (b *between) whole(world int, of *space.Hook) func(what string, r space.Requests) []document.SurveyRegion {
	return func(what string, r space.Requests) []document.SurveyRegion {
		among := func(e *space.Endpoint) bool { return e.Served(world) }
		return regionsOf(b.Space, what, r, space.Whole{Of: of, Among: among}, "")
	}
}
