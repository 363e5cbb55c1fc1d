package cluster

import (
	"bytes"
	"iter"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An initial holds the objects of a kind that exist before anything is written. Most
// requests never look at them, so they are created on first use.
type initial struct {
	made    func() []Object
	objects func() objects
}

// gone takes the place of an initial object that was deleted.
var gone Object

func newInitial(made func() []Object) *initial {
	made = sync.OnceValue(made)
	return &initial{made: made, objects: sync.OnceValue(func() objects { return newObjects(made()) })}
}

// WithInitial returns the state in which the objects returned by made exist from the start, as if they had been written
// before all others. Objects that are written replace them. made is called once, when one of its objects is first
// looked up, for this state and all states derived from it.
func (s *State) WithInitial(gk schema.GroupKind, made func() []Object) *State {
	next := s.copy()
	next.writes = s.writes // this is not a write
	next.initial = maps.Clone(next.initial)
	if next.initial == nil {
		next.initial = map[schema.GroupKind]*initial{}
	}
	next.initial[gk] = newInitial(made)
	return next
}

// MapInitial returns the state in which change is applied to the initial objects of that kind. change is called when
// one of them is first looked up. If there are none, MapInitial returns s.
func (s *State) MapInitial(gk schema.GroupKind, change func([]Object) []Object) *State {
	before := s.initial[gk]
	if before == nil {
		return s
	}
	return s.WithInitial(gk, func() []Object { return change(before.made()) })
}

// Written returns the objects of a kind that are not initial, in the order of List.
func (s *State) Written(gk schema.GroupKind) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		if s == nil || s.kinds[gk] == nil {
			return
		}
		yield = s.present(yield)
		it := s.kinds[gk].in("")
		for _, o, ok := it.Next(); ok; _, o, ok = it.Next() {
			if o.Object != nil && !yield(o) {
				return
			}
		}
	}
}

// listWithInitial merges the initial objects of a kind with those that were written.
func (s *State) listWithInitial(gk schema.GroupKind, namespace string, yield func(Object) bool) {
	first, then := s.initial[gk].objects().in(namespace), s.written(gk).in(namespace)
	a, old, hasOld := first.Next()
	b, written, hasWritten := then.Next()
	for hasOld || hasWritten {
		order := -1
		switch {
		case !hasOld:
			order = 1
		case hasWritten:
			order = bytes.Compare(a, b)
		}
		next := old
		if order >= 0 {
			next = written
			b, written, hasWritten = then.Next()
		}
		if order <= 0 {
			a, old, hasOld = first.Next()
		}
		if next.Object != nil && !yield(next) {
			return
		}
	}
}
