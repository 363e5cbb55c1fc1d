package recording

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// A Shard is one of several parts of a recording that can be run separately. The zero value is the whole recording.
//
// A record belongs to the shard Hash mod Of, where Hash is the 64-bit FNV-1a hash of
//
//	namespace/NAME               for requests in a namespace, or for a namespace
//	object/GROUP/RESOURCE/NAME   for requests for a cluster-scoped object
//	id/ID                        for requests for no resource
//
// so that everything in a namespace happens in one shard. What happens to cluster-scoped objects, such as namespaces
// and webhook configurations, is known to every shard: see [OtherShard].
type Shard struct {
	Index, Of int // Index from 0
}

// ParseShard parses I/N, with I from 0.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	s := Shard{i, n}
	if !ok || err1 != nil || err2 != nil || n < 1 {
		return s, fmt.Errorf("%q is not a shard: want I/N, such as 0/8 to 7/8", text)
	}
	return s, s.validate()
}

func (s Shard) validate() error {
	if s.Of < 0 || s.Index < 0 || s.Of == 0 && s.Index > 0 || s.Of > 0 && s.Index >= s.Of {
		return fmt.Errorf("there is no shard %d of %d: they are counted from 0", s.Index, s.Of)
	}
	return nil
}

func (s Shard) whole() bool { return s.Of <= 1 }

func (s Shard) owns(key string) bool {
	return s.whole() || hash(key)%uint64(s.Of) == uint64(s.Index)
}

func (r *Record) shardKey() string {
	switch {
	case r.Resource.Resource == "":
		return "id/" + r.ID
	case r.Namespace != "":
		return "namespace/" + r.Namespace
	case isNamespace(r.Resource.GroupResource()):
		return "namespace/" + r.Name
	}
	return "object/" + r.Resource.Group + "/" + r.Resource.Resource + "/" + r.Name
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum64()
}
