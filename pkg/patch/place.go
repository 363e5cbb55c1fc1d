package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// A place is where the last token of a JSON pointer leads: a key of a container
// that exists. Whether the container holds anything there is another question.
type place struct {
	pointer string
	key     string
	within  container
}

// A container is an object or a list, with its contents undecoded. The zero
// container is a document null, which has no members and takes none.
type container struct {
	isList  bool
	members map[string]json.RawMessage
	items   []json.RawMessage
}

// find follows a JSON pointer up to its last token. What stands before the first
// slash is ignored, as in the server; without any slash there is no place.
func find(doc []byte, pointer string) (place, bool) {
	tokens := strings.Split(pointer, "/")
	if len(tokens) < 2 {
		return place{}, false
	}
	within, ok := open(doc)
	for _, token := range tokens[1 : len(tokens)-1] {
		if !ok {
			return place{}, false
		}
		next, err := within.get(unescape(token))
		if err != nil || isNull(next) {
			return place{}, false
		}
		within, ok = open(next)
	}
	p := place{
		pointer: "/" + strings.Join(tokens[1:], "/"),
		key:     unescape(tokens[len(tokens)-1]),
		within:  within,
	}
	return p, ok
}

// open decodes one level of a document.
func open(doc []byte) (container, bool) {
	var c container
	if c.isList = bytes.HasPrefix(doc, []byte("[")); c.isList {
		return c, json.Unmarshal(doc, &c.items) == nil
	}
	return c, json.Unmarshal(doc, &c.members) == nil
}

// value is what is at the place: null where an object has no such member, an error
// where a list has no such item.
func (p place) value() (json.RawMessage, error) { return p.within.get(p.key) }

func (c container) get(key string) (json.RawMessage, error) {
	if !c.isList {
		if value, ok := c.members[key]; ok {
			return value, nil
		}
		return json.RawMessage("null"), nil
	}
	i, err := strconv.Atoi(key)
	if err != nil {
		return nil, err
	}
	if i, err = index(i, len(c.items)); err != nil {
		return nil, err
	}
	return c.items[i], nil
}

// index counts a negative index from the end of a list (W-208).
func index(i, length int) (int, error) {
	if i >= length || i < -length {
		return 0, fmt.Errorf("Unable to access invalid index: %d: %w", i, jsonpatch.ErrInvalidIndex)
	}
	if i < 0 {
		i += length
	}
	return i, nil
}

// acceptsInsert says why a value cannot be inserted at the place.
func (p place) acceptsInsert() error {
	switch {
	case p.within.isList && p.key == "-":
		return nil
	case p.within.isList:
		i, err := strconv.Atoi(p.key)
		if err != nil {
			return fmt.Errorf("value was not a proper array index: '%s': %w", p.key, err)
		}
		_, err = index(i, len(p.within.items)+1)
		return err
	case p.within.members == nil:
		return ErrPanic
	}
	return nil
}

// acceptsErase says why nothing can be removed at the place.
func (p place) acceptsErase() error {
	if p.within.isList {
		_, err := p.value()
		return err
	}
	if _, ok := p.within.members[p.key]; !ok {
		return fmt.Errorf("Unable to remove nonexistent key: %s: %w", p.key, jsonpatch.ErrMissing)
	}
	return nil
}

// hasEmptyToken says whether a pointer names a member with the empty name.
func hasEmptyToken(pointer string) bool {
	return strings.Contains(pointer+"/", "//")
}

func isNull(value []byte) bool { return string(value) == "null" }

// isScalar is false for null, which decodes as an empty object.
func isScalar(value []byte) bool {
	return value[0] != '{' && value[0] != '[' && !isNull(value)
}

var unescaper, escaper = strings.NewReplacer("~1", "/", "~0", "~"), strings.NewReplacer("~", "~0", "/", "~1")

func unescape(token string) string { return unescaper.Replace(token) }

func escape(key string) string { return escaper.Replace(key) }
