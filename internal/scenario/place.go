package scenario

import (
	"strconv"
	"strings"
)

// A node is where one value of a document was written, and where what is in it was.
type node struct {
	place
	fields []field // of a mapping, in the order written
	items  []*node // of a list
}

type field struct {
	name  string
	key   place
	value *node
}

type place struct{ line, column int32 }

func (p place) or(s Source) Source {
	if p.line == 0 {
		return s
	}
	return Source{File: s.File, Line: int(p.line), Column: int(p.column)}
}

// find follows path as far as it goes. The place of a field is that of its key. A nil
// node, of a document whose places are not known, finds nothing.
func (n *node) find(path string) place {
	if n == nil {
		return place{}
	}
	at := n.place
	for path != "" && n != nil {
		next, p, rest, ok := n.step(path)
		if !ok {
			break
		}
		n, at, path = next, p, rest
	}
	return at
}

// lookup is the node at path, nil where there is none.
func (n *node) lookup(path string) *node {
	for path != "" && n != nil {
		n, _, path, _ = n.step(path)
	}
	return n
}

// step takes the first part off path: a name, [index] or [key].
func (n *node) step(path string) (next *node, at place, rest string, ok bool) {
	path = strings.TrimPrefix(path, ".")
	if inside, isIndex := strings.CutPrefix(path, "["); isIndex {
		text, after, closed := strings.Cut(inside, "]")
		if !closed {
			return nil, place{}, "", false
		}
		if i, err := strconv.Atoi(text); err == nil && n.items != nil {
			if i < 0 || i >= len(n.items) {
				return nil, place{}, "", false
			}
			return n.items[i], n.items[i].place, after, true
		}
		f, found := n.field(text)
		return f.value, f.key, after, found
	}
	return n.longest(path)
}

// longest finds the field whose name is the longest beginning of path, since the names
// of labels and annotations may have dots in them.
func (n *node) longest(path string) (next *node, at place, rest string, ok bool) {
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		if f, found := n.field(path[:end]); found {
			return f.value, f.key, path[end:], true
		}
	}
	return nil, place{}, "", false
}

// field finds a field by name; those that a YAML merge key brought count where there is
// none of n's own. A nil node has none.
func (n *node) field(name string) (field, bool) {
	if n == nil {
		return field{}, false
	}
	for _, f := range n.fields {
		if f.name == name {
			return f, true
		}
	}
	for _, f := range n.fields {
		if f.name != mergeKey || f.value == nil {
			continue
		}
		for _, merged := range append([]*node{f.value}, f.value.items...) {
			if found, ok := merged.field(name); ok {
				return found, true
			}
		}
	}
	return field{}, false
}
