package cluster

import (
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
)

// A Change is one write. Before is the object before it, empty if the write created the object; After is the object
// after it, empty if the write deleted it.
type Change struct {
	Key
	Before, After Object
}

// A record is a linked list of the changes since the recording began, the latest one first. The first record has no
// change.
type record struct {
	Change
	before *record
	memory map[string]*any // what plugins remembered when the recording began; only in the first record
}

func (r *record) with(c Change) *record {
	if r == nil {
		return nil
	}
	return &record{Change: c, before: r}
}

// changes returns the changes since the recording began, in order, and what plugins remembered then.
func (r *record) changes() (all []Change, memory map[string]*any) {
	for ; r.before != nil; r = r.before {
		all = append(all, r.Change)
	}
	slices.Reverse(all)
	return all, r.memory
}

// Recording returns the same state and begins to record its changes. States derived from it can be moved with
// [State.Onto].
func (s *State) Recording() *State {
	next := *s
	next.recorded = &record{memory: s.memory}
	return &next
}

// At returns the same state with that number of writes. The resourceVersions of later writes are higher.
func (s *State) At(writes int64) *State {
	next := *s
	next.writes = writes
	return &next
}

// Onto repeats all changes since the recording of s began on current. It returns the resulting state, which is not
// recorded, and the changes. Each change counts as a write, and its number becomes the resourceVersion of the object.
// ok is false if current differs in one of the changed objects or in what a plugin remembers: the request has to run
// again then.
func (s *State) Onto(current *State) (next *State, changes []Change, ok bool) {
	changes, memory := s.recorded.changes()
	known := map[Key]Object{}
	for _, c := range changes {
		found, seen := known[c.Key]
		if !seen {
			found, _ = current.find(c.Key)
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
		if current.memory[plugin] != memory[plugin] && !mayBeLost(*now) {
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

// mayBeLost reports whether what a plugin remembers may overwrite what it remembers because of another request.
func mayBeLost(memory any) bool {
	_, may := memory.(interface{ MayBeLost() })
	return may
}

// redo applies a change in place, to a state that is not shared yet.
func (s *State) redo(c *Change) {
	s.writes++
	if before, ok := s.find(c.Key); ok {
		c.Before = before // an earlier change of the same object may have given it another resourceVersion
	}
	if c.After.Object == nil {
		s.remove(c.Key)
		return
	}
	c.After = c.After.versioned(strconv.FormatInt(s.writes, 10))
	s.kinds[c.GroupKind] = s.written(c.GroupKind).with(c.Key, c.After)
}

// versioned returns the object with that resourceVersion: o itself if it already has it.
func (o Object) versioned(version string) Object {
	m, err := meta.Accessor(o.Object)
	if err != nil || m.GetResourceVersion() == version {
		return o
	}
	o.Object = ShallowCopy(o.Object)
	if m, err = meta.Accessor(o.Object); err == nil {
		m.SetResourceVersion(version)
	}
	return o
}
