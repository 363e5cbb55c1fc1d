package patch

import (
	"fmt"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/admsim/admsim/internal/jsonpointer"
)

// A location is what a JSON pointer refers to: a key in an object or list that exists. There need not be a value at
// that key. A document null has no members, and none can be added.
type location struct {
	key    string
	within *node // open
}

// find follows a JSON pointer up to its last token. Text before the first slash is ignored, as in the server; without a
// slash there is no location.
func (s *steps) find(pointer string) (location, bool) {
	tokens := strings.Split(pointer, "/")
	if len(tokens) < 2 {
		return location{}, false
	}
	within, ok := s.doc, s.doc.open()
	for _, token := range tokens[1 : len(tokens)-1] {
		if !ok {
			return location{}, false
		}
		next, err := s.get(within, jsonpointer.Unescape(token))
		if err != nil || next.isNull() {
			return location{}, false
		}
		within, ok = next, next.open()
	}
	return location{jsonpointer.Unescape(tokens[len(tokens)-1]), within}, ok
}

// value returns the value at the location: null if an object has no such member, an error if a list has no such item.
func (s *steps) value(at location) (*node, error) { return s.get(at.within, at.key) }

func (s *steps) get(n *node, key string) (*node, error) {
	if n.list == nil {
		if value, ok := n.object.get(key); ok {
			return value, nil
		}
		return newNull(), nil
	}
	if i, err := strconv.Atoi(key); err == nil && i < 0 && s.inParts {
		s.panics = true
		return nil, ErrPanic
	}
	i, err := n.list.index(key)
	if err != nil {
		return nil, err
	}
	return n.list.get(i), nil
}

// index returns the index of the item that key refers to.
func (l *list) index(key string) (int, error) {
	i, err := strconv.Atoi(key)
	if err != nil {
		return 0, err
	}
	return index(i, l.length)
}

// index counts negative indices from the end of a list (W-208).
func index(i, length int) (int, error) {
	if i >= length || i < -length {
		return 0, fmt.Errorf("Unable to access invalid index: %d: %w", i, jsonpatch.ErrInvalidIndex)
	}
	if i < 0 {
		i += length
	}
	return i, nil
}

// insert sets a member of an object, or inserts an item into a list.
func (p location) insert(value *node) error {
	switch {
	case p.within.list != nil:
		i, err := p.insertionIndex()
		if err != nil {
			return err
		}
		p.within.list.insert(i, value)
	case p.within.object != nil:
		p.within.object.set(p.key, value)
	default:
		return ErrPanic
	}
	return nil
}

// insertionIndex returns the index of an item to insert. Negative indices count from the end of the list after the
// insertion.
func (p location) insertionIndex() (int, error) {
	if p.key == "-" {
		return p.within.list.length, nil
	}
	i, err := strconv.Atoi(p.key)
	if err != nil {
		return 0, fmt.Errorf("value was not a proper array index: '%s': %w", p.key, err)
	}
	return index(i, p.within.list.length+1)
}

// overwrite sets a member of an object, or an existing item of a list.
func (p location) overwrite(value *node) error {
	if p.within.list == nil {
		return p.insert(value)
	}
	i, err := p.within.list.index(p.key)
	if err == nil {
		p.within.list.set(i, value)
	}
	return err
}

// erase removes a member or an item.
func (p location) erase() error {
	if p.within.list != nil {
		i, err := p.within.list.index(p.key)
		if err == nil {
			p.within.list.remove(i)
		}
		return err
	}
	if _, ok := p.within.object.get(p.key); !ok {
		return fmt.Errorf("Unable to remove nonexistent key: %s: %w", p.key, jsonpatch.ErrMissing)
	}
	p.within.object.remove(p.key)
	return nil
}

func isNull(value []byte) bool { return string(value) == "null" }

// isScalar reports whether value is a scalar other than null, which decodes as an empty object.
func isScalar(value []byte) bool {
	return value[0] != '{' && value[0] != '[' && !isNull(value)
}
