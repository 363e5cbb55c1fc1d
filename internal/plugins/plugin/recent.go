package plugin

import (
	"encoding/binary"

	iradix "github.com/hashicorp/go-immutable-radix/v2"
)

// Recent is a map with a limited size that drops the least recently used entries. Like everything that plugins remember
// it is immutable: every use returns a new map. It is an interface, since every package that sees the type of a field
// compiles the generic types in it again.
type Recent[V any] interface {
	// Get looks up key, which does not count as a use.
	Get(key string) (V, bool)
	// With returns the map after key was used and set to value.
	With(key string, value V) Recent[V]
}

type recent[V any] struct {
	size  int
	uses  uint64
	byKey *iradix.Tree[used[V]]
	byUse *iradix.Tree[string] // the keys, in the order of their last use
}

type used[V any] struct {
	value V
	at    uint64
}

func NewRecent[V any](size int) Recent[V] {
	return &recent[V]{size: size, byKey: iradix.New[used[V]](), byUse: iradix.New[string]()}
}

func (r *recent[V]) Get(key string) (V, bool) {
	u, ok := r.byKey.Get([]byte(key))
	return u.value, ok
}

func (r *recent[V]) With(key string, value V) Recent[V] {
	next := *r
	next.uses++
	var before used[V]
	var had bool
	next.byKey, before, had = r.byKey.Insert([]byte(key), used[V]{value, next.uses})
	if had {
		next.byUse, _, _ = next.byUse.Delete(useKey(before.at))
	}
	next.byUse, _, _ = next.byUse.Insert(useKey(next.uses), key)
	for next.byKey.Len() > next.size {
		at, oldest, _ := next.byUse.Root().Minimum()
		next.byUse, _, _ = next.byUse.Delete(at)
		next.byKey, _, _ = next.byKey.Delete([]byte(oldest))
	}
	return &next
}

func useKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
