package cluster

import (
	"bytes"
	"iter"
	"maps"
	"sync"

	iradix "github.com/hashicorp/go-immutable-radix/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An initial is the objects of a kind that are there before anything is written. Most
// requests never look for them, so they are made when somebody does.
type initial struct {
	made func() []Object
	tree func() *iradix.Tree[Object]
}

// gone stands where an initial object was deleted.
var gone Object

func newInitial(made func() []Object) *initial {
	made = sync.OnceValue(made)
	return &initial{made: made, tree: sync.OnceValue(func() *iradix.Tree[Object] {
		txn := iradix.New[Object]().Txn()
		for _, o := range made() {
			txn.Insert(KeyOf(o.Object).path(), o)
		}
		return txn.Commit()
	})}
}

// WithInitial returns the state in which objects of that kind are there from its start, as if
// they had been written before all others: what was written replaces them. They are made when
// somebody first looks for one, from then on for all states that follow.
func (s *State) WithInitial(gk schema.GroupKind, made func() []Object) *State {
	next := s.copy()
	next.writes = s.writes // nobody wrote anything
	next.initial = maps.Clone(next.initial)
	if next.initial == nil {
		next.initial = map[schema.GroupKind]*initial{}
	}
	next.initial[gk] = newInitial(made)
	return next
}

// MapInitial returns the state in which the initial objects of that kind are what change makes
// of them, once somebody looks for one. Without any it is s itself.
func (s *State) MapInitial(gk schema.GroupKind, change func([]Object) []Object) *State {
	before := s.initial[gk]
	if before == nil {
		return s
	}
	return s.WithInitial(gk, func() []Object { return change(before.made()) })
}

// Written returns the objects of a kind that were written, and so are not initial, by
// namespace and name.
func (s *State) Written(gk schema.GroupKind) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		if s == nil || s.kinds[gk] == nil {
			return
		}
		it := iterator(s.kinds[gk], "")
		for _, o, ok := it.Next(); ok; _, o, ok = it.Next() {
			if o.Object != nil && !yield(o) {
				return
			}
		}
	}
}

// listWithInitial merges the initial objects of a kind with those that were written.
func (s *State) listWithInitial(gk schema.GroupKind, namespace string, yield func(Object) bool) {
	first, then := iterator(s.initial[gk].tree(), namespace), iterator(s.tree(gk), namespace)
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
