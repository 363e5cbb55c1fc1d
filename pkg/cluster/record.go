package cluster

import (
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/internal/shallow"
)

// A Change is one write: Before is what was under the key, After what is there now. Either
// may be empty.
type Change struct {
	Key
	Before, After Object
}

// A record has the last change since a state was recorded, and leads to those before it. The
// first one has none.
type record struct {
	Change
	before *record
	memory map[string]*any // of the first one: what plugins remembered
}

func (r *record) with(c Change) *record {
	if r == nil {
		return nil
	}
	return &record{Change: c, before: r}
}

// changes are those since the first record, in order, and what plugins remembered there.
func (r *record) changes() (all []Change, memory map[string]*any) {
	for ; r.before != nil; r = r.before {
		all = append(all, r.Change)
	}
	slices.Reverse(all)
	return all, r.memory
}

// Recording returns the same state, with a record of what becomes of it: the states that it leads
// to can go [State.Onto] another one.
func (s *State) Recording() *State {
	next := *s
	next.recorded = &record{memory: s.memory}
	return &next
}

// At returns the same state as one to which that many writes led. Versions given from then on
// are higher.
func (s *State) At(writes int64) *State {
	next := *s
	next.writes = writes
	return &next
}

// Onto does to another state what happened since s was recorded, and returns what comes of it,
// with no record, and the changes. Each is a write, whose number is the version of the object.
// ok is false where somebody else changed one of the same objects, or what a plugin remembers:
// then it has to be seen anew what happens.
func (s *State) Onto(current *State) (next *State, changes []Change, ok bool) {
	changes, memory := s.recorded.changes()
	known := map[Key]Object{}
	for _, c := range changes {
		found, seen := known[c.Key]
		if !seen {
			found, _ = current.Find(c.Key)
		}
		if found.Object != c.Before.Object {
			return nil, nil, false
		}
		known[c.Key] = c.After
	}
	next = current.copy()
	next.recorded, next.writes = nil, current.writes
	for plugin, now := range s.memory {
		if now == memory[plugin] {
			continue
		}
		if current.memory[plugin] != memory[plugin] {
			return nil, nil, false
		}
		next.memory = maps.Clone(next.memory)
		if next.memory == nil {
			next.memory = map[string]*any{}
		}
		next.memory[plugin] = now
	}
	for i := range changes {
		next.redo(&changes[i])
	}
	return next, changes, true
}

// redo does a change to a state that nobody else has yet.
func (s *State) redo(c *Change) {
	s.writes++
	if before, ok := s.Find(c.Key); ok {
		c.Before = before // an earlier change of the same object has another version by now
	}
	if c.After.Object == nil {
		s.remove(c.Key)
		return
	}
	c.After = c.After.versioned(strconv.FormatInt(s.writes, 10))
	s.kinds[c.GroupKind], _, _ = s.tree(c.GroupKind).Insert(c.path(), c.After)
}

// versioned is the object with that resourceVersion, o itself where it has it.
func (o Object) versioned(version string) Object {
	m, err := meta.Accessor(o.Object)
	if err != nil || m.GetResourceVersion() == version {
		return o
	}
	o.Object = shallow.Copy(o.Object)
	if m, err = meta.Accessor(o.Object); err == nil {
		m.SetResourceVersion(version)
	}
	return o
}
