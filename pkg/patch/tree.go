package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A node is a value of a document while a patch is applied. It stays encoded until an operation looks into it: each
// level of a document is decoded once, however many operations there are, and everything else is written back
// unchanged.
type node struct {
	raw    []byte // without surrounding space; nil once the value is open
	object *object
	list   *list
}

// newNode returns a node for an encoded value.
func newNode(raw []byte) (*node, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("not a JSON value: %q", raw[:min(len(raw), 100)])
	}
	return &node{raw: bytes.TrimSpace(raw)}, nil
}

func newNull() *node { return &node{raw: []byte("null")} }

func (n *node) isNull() bool { return isNull(n.raw) }

// open decodes one level of the value, and reports whether it can have members or items: null counts as an object
// without members.
func (n *node) open() bool {
	switch n.kind() {
	case '{':
		if n.object == nil {
			n.object, n.raw = readObject(n.raw), nil
		}
	case '[':
		if n.list == nil {
			n.list, n.raw = readList(n.raw), nil
		}
	default:
		return n.isNull()
	}
	return true
}

// kind returns the first byte of the value.
func (n *node) kind() byte {
	switch {
	case n.object != nil:
		return '{'
	case n.list != nil:
		return '['
	}
	return n.raw[0]
}

// write writes the value, with the members of objects in their order.
func (n *node) write(b *bytes.Buffer) {
	switch {
	case n.object != nil:
		n.object.write(b)
	case n.list != nil:
		n.list.write(b)
	default:
		b.Write(n.raw)
	}
}

// deepCopy returns a copy of the value, with its strings escaped for HTML. A later test of the copy depends on that.
func (n *node) deepCopy() (*node, error) {
	var b bytes.Buffer
	n.write(&b)
	raw, err := json.Marshal(json.RawMessage(b.Bytes()))
	return &node{raw: raw}, err
}

// An object keeps its members in the order in which they were written or added.
type object struct {
	members []member
	places  map[string]int // indices in members, by name
}

// A member without a value was removed.
type member struct {
	name  string
	value *node
}

// readObject decodes one level of an object. If a member occurs twice, the last one counts.
func readObject(raw []byte) *object {
	o := &object{places: map[string]int{}}
	for at := spaceEnd(raw, 1); raw[at] == '"'; {
		end := stringEnd(raw, at)
		name := nameOf(raw[at:end])
		at = spaceEnd(raw, spaceEnd(raw, end)+len(":"))
		end = valueEnd(raw, at)
		o.set(name, &node{raw: raw[at:end]})
		if at = spaceEnd(raw, end); raw[at] == ',' {
			at = spaceEnd(raw, at+1)
		}
	}
	return o
}

func nameOf(quoted []byte) string {
	if writtenAsIs(quoted[1 : len(quoted)-1]) {
		return string(quoted[1 : len(quoted)-1])
	}
	var name string
	if err := json.Unmarshal(quoted, &name); err != nil {
		panic(err) // it is part of a valid document
	}
	return name
}

// writtenAsIs reports whether JSON encodes a string without escapes.
func writtenAsIs[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// len returns the number of members; a nil object has none.
func (o *object) len() int {
	if o == nil {
		return 0
	}
	return len(o.places)
}

func (o *object) get(name string) (*node, bool) {
	if o == nil {
		return nil, false
	}
	i, ok := o.places[name]
	if !ok {
		return nil, false
	}
	return o.members[i].value, true
}

func (o *object) set(name string, value *node) {
	if i, ok := o.places[name]; ok {
		o.members[i].value = value
		return
	}
	o.places[name] = len(o.members)
	o.members = append(o.members, member{name, value})
}

func (o *object) remove(name string) {
	o.members[o.places[name]] = member{}
	delete(o.places, name)
}

func (o *object) write(b *bytes.Buffer) {
	separator := byte('{')
	for _, m := range o.members {
		if m.value == nil {
			continue
		}
		b.WriteByte(separator)
		separator = ','
		writeString(b, m.name)
		b.WriteByte(':')
		m.value.write(b)
	}
	if separator == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
}

// writeString encodes a string without escapes for HTML.
func writeString(b *bytes.Buffer, s string) {
	if writtenAsIs(s) {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always marshals
	}
	b.Truncate(b.Len() - len("\n"))
}

// The functions below find where a part of a valid document ends.

func spaceEnd(raw []byte, at int) int {
	for raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\n' || raw[at] == '\r' {
		at++
	}
	return at
}

func stringEnd(raw []byte, at int) int {
	for at++; raw[at] != '"'; at++ {
		if raw[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func valueEnd(raw []byte, at int) int {
	switch raw[at] {
	case '"':
		return stringEnd(raw, at)
	case '{', '[':
		return levelEnd(raw, at)
	}
	for at < len(raw) && bytes.IndexByte([]byte(" \t\n\r,]}"), raw[at]) < 0 {
		at++
	}
	return at
}

func levelEnd(raw []byte, at int) int {
	for depth := 0; ; {
		switch raw[at] {
		case '"':
			at = stringEnd(raw, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if at++; depth == 0 {
			return at
		}
	}
}
