package cluster

import (
	"iter"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Between returns the changes that turn one state into the other, kind by kind. Kinds whose objects both states share
// cost nothing.
func Between(from, to *State) (changes []Change) {
	kinds := to.groupKinds()
	for _, gk := range from.groupKinds() {
		if to.kinds[gk] == nil && to.initial[gk] == nil {
			kinds = append(kinds, gk)
		}
	}
	for _, gk := range kinds {
		if from.Revision(gk) != to.Revision(gk) {
			changes = between(from, to, gk, changes)
		}
	}
	return changes
}

// between appends the changes of one kind. Both states list its objects in the same order.
func between(from, to *State, gk schema.GroupKind, changes []Change) []Change {
	before, stopBefore := iter.Pull(from.List(gk, ""))
	defer stopBefore()
	after, stopAfter := iter.Pull(to.List(gk, ""))
	defer stopAfter()
	a, hasA := before()
	b, hasB := after()
	for hasA || hasB {
		var order int
		var keyA, keyB Key
		if hasA {
			keyA = KeyOf(a.Object)
		}
		if hasB {
			keyB = KeyOf(b.Object)
		}
		switch {
		case !hasA:
			order = 1
		case !hasB:
			order = -1
		default:
			order = strings.Compare(string(keyA.path()), string(keyB.path()))
		}
		c := Change{Key: keyA}
		if order >= 0 {
			c.Key, c.After = keyB, b
			b, hasB = after()
		}
		if order <= 0 {
			c.Before = a
			a, hasA = before()
		}
		if c.Before.Object != c.After.Object {
			changes = append(changes, c)
		}
	}
	return changes
}

// Doing returns s with changes applied. The changes were made to a state like s.
func (s *State) Doing(changes []Change) *State {
	for _, c := range changes {
		if c.After.Object == nil {
			s = s.Without(c.Key)
		} else {
			s = s.With(c.After)
		}
	}
	return s
}
