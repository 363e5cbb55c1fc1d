package states

import (
	"bytes"
	"container/list"
	"slices"

	"github.com/admsim/admsim/internal/recording"
)

// A store keeps what is known of objects, and forgets what was not used for the longest
// time once it is full. What it forgets the tracker forgets as well, so that they are
// bounded; and since the reader asks it about all records, whatever the shard, every
// shard forgets the same.
type store struct {
	keys    map[recording.Key]*list.Element
	bulk    shelf // what there is much of, and only its own requests look at
	gone    shelf // that an object is no longer there, of which there is no end
	others  shelf
	dropped []recording.Key // since forgotten was called
}

type shelf struct {
	room, held int
	used       *list.List // of *kept, the latest first
}

type kept struct {
	recording.Seen
	key recording.Key
	at  *shelf
}

const (
	bulkRoom   = 32 << 20
	goneRoom   = 4 << 20
	othersRoom = 64 << 20
)

func newStore() *store {
	return &store{
		keys:   map[recording.Key]*list.Element{},
		bulk:   shelf{room: bulkRoom, used: list.New()},
		gone:   shelf{room: goneRoom, used: list.New()},
		others: shelf{room: othersRoom, used: list.New()},
	}
}

// Load returns what is known of an object.
func (s *store) Load(k recording.Key) (recording.Seen, bool) {
	e, ok := s.keys[k]
	if !ok {
		return recording.Seen{}, false
	}
	entry := e.Value.(*kept)
	entry.at.used.MoveToFront(e)
	return entry.Seen, true
}

// peek returns the object without using it.
func (s *store) peek(k recording.Key) []byte {
	if e, ok := s.keys[k]; ok {
		return e.Value.(*kept).Object
	}
	return nil
}

// Save keeps a copy of what is known of an object now.
func (s *store) Save(k recording.Key, seen recording.Seen) {
	s.Forget(k)
	seen.Object = bytes.Clone(seen.Object) // not the line around it
	entry := &kept{Seen: seen, key: k, at: &s.others}
	switch {
	case seen.Object == nil:
		entry.at = &s.gone
	case isBulk(k):
		entry.at = &s.bulk
	}
	s.keys[k] = entry.at.used.PushFront(entry)
	for entry.at.held += entry.size(); entry.at.held > entry.at.room && entry.at.used.Len() > 1; {
		oldest := entry.at.used.Back().Value.(*kept).key
		s.Forget(oldest)
		s.dropped = append(s.dropped, oldest)
	}
}

// Forget makes an object unknown.
func (s *store) Forget(k recording.Key) {
	if e, ok := s.keys[k]; ok {
		entry := e.Value.(*kept)
		entry.at.held -= entry.size()
		entry.at.used.Remove(e)
		delete(s.keys, k)
	}
}

// forgotten returns what was dropped since it was called last.
func (s *store) forgotten() []recording.Key {
	if len(s.dropped) == 0 {
		return nil
	}
	dropped := slices.Clone(s.dropped)
	s.dropped = s.dropped[:0]
	return dropped
}

// size is what an entry takes, with about what the map, the list and the tracker need.
func (k *kept) size() int {
	return len(k.Object) + len(k.key.Namespace) + len(k.key.Name) + len(k.Stale) + 500
}

// bulk are the resources of which a cluster has many, and which nothing looks at but
// requests for them, collections of them, and what [wantsAll] names.
var bulk = map[string][]string{
	"":                    {"pods", "events", "endpoints"},
	"apps":                {"deployments", "replicasets", "statefulsets", "daemonsets", "controllerrevisions"},
	"batch":               {"jobs", "cronjobs"},
	"coordination.k8s.io": {"leases"},
	"discovery.k8s.io":    {"endpointslices"},
	"events.k8s.io":       {"events"},
}

func isBulk(k recording.Key) bool { return slices.Contains(bulk[k.Group], k.Resource) }
