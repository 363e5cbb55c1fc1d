package states

import (
	"bytes"
	"container/list"
	"slices"

	"github.com/admsim/admsim/internal/recording"
)

// A store keeps what is known about objects, and forgets the least recently used ones when it is full. The tracker
// forgets the same objects, so that both are bounded; and since the reader asks the store about all records, whatever
// the shard, every shard forgets the same.
type store struct {
	keys    map[recording.Key]*list.Element
	bulk    shelf // numerous objects that only their own requests look at
	gone    shelf // that objects no longer exist; their number is unlimited
	others  shelf
	dropped []recording.Key // since the last call of forgotten
}

type shelf struct {
	room, held int
	used       *list.List // of *kept, the most recently used first
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

// Load returns what is known about an object.
func (s *store) Load(k recording.Key) (recording.Seen, bool) {
	e, ok := s.keys[k]
	if !ok {
		return recording.Seen{}, false
	}
	entry := e.Value.(*kept)
	entry.at.used.MoveToFront(e)
	return entry.Seen, true
}

// peek returns the object without marking it as used.
func (s *store) peek(k recording.Key) []byte {
	if e, ok := s.keys[k]; ok {
		return e.Value.(*kept).Object
	}
	return nil
}

// Save keeps a copy of what is now known about an object.
func (s *store) Save(k recording.Key, seen recording.Seen) {
	s.Forget(k)
	seen.Object = bytes.Clone(seen.Object) // without the line around it
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

// forgotten returns what was dropped since its last call.
func (s *store) forgotten() []recording.Key {
	if len(s.dropped) == 0 {
		return nil
	}
	dropped := slices.Clone(s.dropped)
	s.dropped = s.dropped[:0]
	return dropped
}

// size estimates the memory that an entry takes, including the map, the list and the tracker.
func (k *kept) size() int {
	return len(k.Object) + len(k.key.Namespace) + len(k.key.Name) + len(k.Stale) + 500
}

// bulk lists the resources that a cluster has many objects of, and that only matter for requests for them, for
// collections of them, and for the requests that [wantsAll] names.
var bulk = map[string][]string{
	"":                    {"pods", "events", "endpoints"},
	"apps":                {"deployments", "replicasets", "statefulsets", "daemonsets", "controllerrevisions"},
	"batch":               {"jobs", "cronjobs"},
	"coordination.k8s.io": {"leases"},
	"discovery.k8s.io":    {"endpointslices"},
	"events.k8s.io":       {"events"},
}

func isBulk(k recording.Key) bool { return slices.Contains(bulk[k.Group], k.Resource) }
