package objects

import (
	"fmt"
	"slices"
	"strings"
)

// A fieldTree is a set of fields in JSON: some fields of an object, and further ones within its other fields. It describes
// all items of lists, too. It may contain itself. The nil tree has no fields.
type fieldTree struct {
	names  []string
	within map[string]*fieldTree
	each   *fieldTree // the fields within all values of an object that is a map
}

// orNil returns nil instead of a tree without fields.
func (t *fieldTree) orNil() *fieldTree {
	if len(t.names) == 0 && len(t.within) == 0 {
		return nil
	}
	return t
}

// inner returns the fields within a field.
func (t *fieldTree) inner(name string) *fieldTree {
	switch {
	case t == nil:
		return nil
	case t.each != nil:
		return t.each
	}
	return t.within[name]
}

// add adds the field at a path to a tree that does not contain itself.
func (t *fieldTree) add(path []step) {
	path = slices.DeleteFunc(slices.Clone(path), func(s step) bool { return s.items })
	for ; len(path) > 1; path = path[1:] {
		if t.within == nil {
			t.within = map[string]*fieldTree{}
		}
		name := path[0].name
		if t.within[name] == nil {
			t.within[name] = &fieldTree{}
		}
		t = t.within[name]
	}
	t.names = append(t.names, path[0].name)
}

// removeFrom removes the fields from a value in JSON, which is at this path. It returns the paths of the removed fields.
func (t *fieldTree) removeFrom(value any, path string) (removed []string) {
	if t == nil {
		return nil
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			removed = append(removed, t.removeFrom(item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case map[string]any:
		for _, name := range t.names {
			if _, ok := value[name]; ok {
				delete(value, name)
				removed = append(removed, fieldPath(path, name))
			}
		}
		for name, inner := range value {
			if fields := t.inner(name); fields != nil {
				removed = append(removed, fields.removeFrom(inner, fieldPath(path, name))...)
			}
		}
	}
	return removed
}

func fieldPath(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// mayBeIn reports whether JSON may contain any of the fields. It allocates nothing, since nearly no JSON does. For JSON
// that is broken, or has escapes in names, it returns true.
func (t *fieldTree) mayBeIn(data []byte) bool {
	if t == nil {
		return false
	}
	s := fieldScanner{data: data}
	return s.finds(t, 0) || s.broken
}

// fieldTrees are two sets of fields of the same objects.
type fieldTrees [2]*fieldTree

func (t fieldTrees) none() bool { return t[0] == nil && t[1] == nil }

func (t fieldTrees) mayBeIn(data []byte) bool { return t[0].mayBeIn(data) || t[1].mayBeIn(data) }

func (t fieldTrees) removeFrom(value any) (removed []string) {
	return append(t[0].removeFrom(value, ""), t[1].removeFrom(value, "")...)
}

// A fieldScanner reads JSON only as far as is necessary to find fields.
type fieldScanner struct {
	data   []byte // the rest
	broken bool
}

// deepest is how deep values may be nested. The server refuses objects that are as deep.
const deepest = 10_000

// finds reads a value, and reports whether it may contain one of the fields. It may stop within the value if it does, or
// if the JSON is broken.
func (s *fieldScanner) finds(t *fieldTree, depth int) bool {
	switch s.next() {
	case '{':
		return s.findsIn(t, '}', depth)
	case '[':
		return s.findsIn(t, ']', depth)
	case '"':
		s.text()
	default:
		s.data = s.data[s.literal():]
	}
	return false
}

// findsIn is finds for an object or a list that ends with this byte.
func (s *fieldScanner) findsIn(t *fieldTree, end byte, depth int) bool {
	s.broken = s.broken || depth > deepest
	s.skip(1)
	for !s.broken {
		switch s.next() {
		case end:
			s.skip(1)
			return false
		case ',':
			s.skip(1)
			continue
		}
		fields := t
		if end == '}' {
			name, plain := s.text()
			if t != nil && (!plain || t.has(name)) {
				return true
			}
			if s.next() != ':' {
				break
			}
			s.skip(1)
			fields = t.inner(string(name))
		}
		if before := len(s.data); s.finds(fields, depth+1) {
			return true
		} else if len(s.data) == before {
			break
		}
	}
	s.broken = true
	return false
}

func (t *fieldTree) has(name []byte) bool {
	return slices.ContainsFunc(t.names, func(n string) bool { return n == string(name) })
}

// next skips white space, and returns the first byte of the rest, or 0 at the end.
func (s *fieldScanner) next() byte {
	for len(s.data) > 0 {
		switch c := s.data[0]; c {
		case ' ', '\t', '\n', '\r':
			s.data = s.data[1:]
		default:
			return c
		}
	}
	return 0
}

func (s *fieldScanner) skip(n int) { s.data = s.data[min(n, len(s.data)):] }

// text reads a string. It is plain if it contains no escapes.
func (s *fieldScanner) text() (text []byte, plain bool) {
	if s.next() != '"' {
		s.broken = true
		return nil, false
	}
	plain = true
	for i := 1; i < len(s.data); i++ {
		switch s.data[i] {
		case '\\':
			plain = false
			i++
		case '"':
			text, s.data = s.data[1:i], s.data[i+1:]
			return text, plain
		}
	}
	s.broken = true
	return nil, false
}

// literal returns how many bytes a number, true, false or null has.
func (s *fieldScanner) literal() int {
	for i, c := range s.data {
		switch c {
		case ',', ']', '}', ':', ' ', '\t', '\n', '\r', '"', '{', '[':
			return i
		}
	}
	return len(s.data)
}
