package plugins

import (
	"encoding/binary"

	iradix "github.com/hashicorp/go-immutable-radix/v2"
)

// recent is a map that holds so many entries and forgets those that were not used for
// longest. Like all that plugins remember it does not change: every use gives the next one.
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

func newRecent[V any](size int) *recent[V] {
	return &recent[V]{size: size, byKey: iradix.New[used[V]](), byUse: iradix.New[string]()}
}

// get looks up key, which does not count as a use.
func (r *recent[V]) get(key string) (V, bool) {
	u, ok := r.byKey.Get([]byte(key))
	return u.value, ok
}

// with is the map in which key was just used and has that value.
func (r *recent[V]) with(key string, value V) *recent[V] {
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
