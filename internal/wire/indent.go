package wire

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/admsim/admsim/internal/builtin"
)

// indentIterated indents the JSON of a Go value, which has no spaces, as json-iterator does. An empty object is broken,
// what a type writes itself stays in one line, and the values in a map are indented as if they began in the first column:
// json-iterator/go@v1.1.12:reflect_map.go, sortKeysMapEncoder. of is nil if the type is not known.
func indentIterated(data []byte, of reflect.Type) []byte {
	w := &iterated{rest: data, members: map[reflect.Type]map[string]reflect.Type{}}
	w.value(of, 0)
	return w.b.Bytes()
}

type iterated struct {
	b       bytes.Buffer
	rest    []byte                                   // of the text
	members map[reflect.Type]map[string]reflect.Type // of structs, by name in JSON
}

// value writes the next value of the text, whose lines are indented by that much.
func (w *iterated) value(of reflect.Type, indent int) {
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of != nil && reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
		w.whole()
		return
	}
	switch w.rest[0] {
	case '{':
		w.object(of, indent)
	case '[':
		w.list(of, indent)
	default:
		w.whole()
	}
}

func (w *iterated) object(of reflect.Type, indent int) {
	if of != nil && of.Kind() == reflect.Struct && of.NumField() == 0 {
		w.whole() // {}
		return
	}
	members := w.membersOf(of)
	isMap := of != nil && (of.Kind() == reflect.Map || of.Kind() == reflect.Interface)
	w.open(indent)
	for w.rest[0] != '}' {
		if w.rest[0] == ',' {
			w.next()
			w.line(indent + 2)
		}
		name := bytes.Trim(w.whole(), `"`)
		w.next()
		w.b.WriteByte(' ')
		switch {
		case !isMap:
			w.value(members[string(name)], indent+2)
		case of.Kind() == reflect.Map:
			w.value(of.Elem(), 0)
		default:
			w.value(of, 0)
		}
	}
	w.close(indent)
}

func (w *iterated) membersOf(t reflect.Type) map[string]reflect.Type {
	members, known := w.members[t]
	if !known {
		members = builtin.Fields(t)
		w.members[t] = members
	}
	return members
}

func (w *iterated) list(of reflect.Type, indent int) {
	if w.rest[1] == ']' {
		w.whole()
		return
	}
	if of != nil && of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	w.open(indent)
	for w.rest[0] != ']' {
		if w.rest[0] == ',' {
			w.next()
			w.line(indent + 2)
		}
		w.value(of, indent+2)
	}
	w.close(indent)
}

func (w *iterated) open(indent int) {
	w.next()
	w.line(indent + 2)
}

func (w *iterated) close(indent int) {
	w.line(indent)
	w.next()
}

func (w *iterated) line(indent int) {
	w.b.WriteByte('\n')
	for range indent {
		w.b.WriteByte(' ')
	}
}

// next copies a character.
func (w *iterated) next() {
	w.b.WriteByte(w.rest[0])
	w.rest = w.rest[1:]
}

// whole copies a value, or the name of a member, as it is, and returns it.
func (w *iterated) whole() []byte {
	n := wholeLength(w.rest)
	whole := w.rest[:n]
	w.b.Write(whole)
	w.rest = w.rest[n:]
	return whole
}

// wholeLength returns the length of the value at the start of a text.
func wholeLength(text []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case depth == 0 && (c == '}' || c == ']' || c == ',' || c == ':'):
			return i
		case c == '}' || c == ']':
			depth--
		}
	}
	return len(text)
}
