package recording

import (
	"bytes"
	"container/list"
	"encoding/json"
)

// A Store keeps what is known about objects between records. It may forget any of them: what is forgotten is unknown.
// It is used by one goroutine.
type Store interface {
	Load(Key) (Seen, bool)
	Save(Key, Seen)
	Forget(Key)
}

// Seen is an object as it was last seen.
type Seen struct {
	Object json.RawMessage // nil: it did not exist
	Stale  string          // what changed it since then without showing the result

	Version, Generation int64 // of Object; 0: unknown
}

// A memoryStore is a Store that forgets the least recently used object when it is full.
type memoryStore struct {
	room int
	held int
	keys map[Key]*list.Element
	used *list.List // of *kept, the most recently used first
}

type kept struct {
	key  Key
	seen Seen
}

// memory is the default size of a store.
const memory = 32 << 20

// newMemory returns a Store that holds up to room bytes; 0: 32 MiB.
func newMemory(room int) *memoryStore {
	if room == 0 {
		room = memory
	}
	return &memoryStore{room: room, keys: map[Key]*list.Element{}, used: list.New()}
}

// Load returns what is known about an object.
func (m *memoryStore) Load(k Key) (Seen, bool) {
	e, ok := m.keys[k]
	if !ok {
		return Seen{}, false
	}
	m.used.MoveToFront(e)
	return e.Value.(*kept).seen, true
}

// Save keeps a copy of what is now known about an object.
func (m *memoryStore) Save(k Key, s Seen) {
	m.Forget(k)
	s.Object = bytes.Clone(s.Object) // without the line around it
	entry := &kept{k, s}
	m.keys[k] = m.used.PushFront(entry)
	m.held += entry.size()
	for m.held > m.room && m.used.Len() > 1 {
		m.Forget(m.used.Back().Value.(*kept).key)
	}
}

// Forget makes an object unknown.
func (m *memoryStore) Forget(k Key) {
	if e, ok := m.keys[k]; ok {
		m.held -= e.Value.(*kept).size()
		m.used.Remove(e)
		delete(m.keys, k)
	}
}

// size estimates the memory that an entry takes, including the map and the list.
func (k *kept) size() int {
	return len(k.seen.Object) + len(k.key.Namespace) + len(k.key.Name) + len(k.seen.Stale) + 300
}
