package yamldoc

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A jsonWalk builds the places of a JSON value that is known to be valid.
type jsonWalk struct {
	text  []byte
	at    int
	place Position
	file  string
	errs  *Errors
	depth int
}

func newJSONWalk(file string, text []byte, line int, errs *Errors) *jsonWalk {
	return &jsonWalk{text: text, place: Position{int32(line), 1}, file: file, errs: errs}
}

// value reads one value and the white space before it. If the value is nested too deep, it reports that and returns
// nil.
func (w *jsonWalk) value() *Node {
	w.space()
	n := &Node{Position: w.place}
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxDepth {
		w.errs.Add(w.place.Or(Source{File: w.file}), depthHint, "nested more than %d levels deep", maxDepth)
		return nil
	}
	switch w.text[w.at] {
	case '{':
		return w.mapping(n)
	case '[':
		return w.list(n)
	case '"':
		w.str()
	default:
		for w.at < len(w.text) && !strings.ContainsRune(",]} \t\r\n", rune(w.text[w.at])) {
			w.skip()
		}
	}
	return n
}

func (w *jsonWalk) mapping(n *Node) *Node {
	w.skip() // {
	seen, joined := map[string]Position{}, false
	for w.space(); w.text[w.at] != '}'; w.space() {
		if w.text[w.at] == ',' {
			w.skip()
			continue
		}
		key := w.place
		name := w.str()
		if first, twice := seen[name]; twice && !joined {
			joined = addTwice(w.errs, key.Or(Source{File: w.file}), name, first, dropOne, "give it braces of its own")
		}
		seen[name] = key
		w.space()
		w.skip() // :
		v := w.value()
		if v == nil {
			return nil
		}
		n.Fields = append(n.Fields, field{Name: name, key: key, Value: v})
	}
	w.skip()
	return n
}

func (w *jsonWalk) list(n *Node) *Node {
	w.skip() // [
	n.Items = []*Node{}
	for w.space(); w.text[w.at] != ']'; w.space() {
		if w.text[w.at] == ',' {
			w.skip()
			continue
		}
		v := w.value()
		if v == nil {
			return nil
		}
		n.Items = append(n.Items, v)
	}
	w.skip()
	return n
}

// str reads a string and returns its value.
func (w *jsonWalk) str() string {
	start := w.at
	w.skip()
	for w.text[w.at] != '"' {
		if w.text[w.at] == '\\' {
			w.skip()
		}
		w.skip()
	}
	w.skip()
	var s string
	if err := json.Unmarshal(w.text[start:w.at], &s); err != nil {
		panic(fmt.Sprintf("a string of valid JSON does not parse: %v", err))
	}
	return s
}

func (w *jsonWalk) space() {
	for w.at < len(w.text) && strings.ContainsRune(" \t\r\n", rune(w.text[w.at])) {
		w.skip()
	}
}

// skip advances by one character. It counts lines and columns on the way: JSON is often one very long line.
func (w *jsonWalk) skip() {
	_, size := utf8.DecodeRune(w.text[w.at:])
	if w.text[w.at] == '\n' {
		w.place = Position{w.place.Line + 1, 1}
	} else {
		w.place.column++
	}
	w.at += size
}

// dropOne is the hint for a key that appears twice in one object.
const dropOne = "drop one of the two"

// addTwice reports a key that appears twice, with that hint. If it looks as if another object begins there, all further
// keys belong to that object, too: apart is the hint for separating the two.
func addTwice(errs *Errors, at Source, name string, first Position, hint, apart string) (joined bool) {
	if joined = name == "apiVersion" || name == "kind"; joined {
		hint = "if another object begins here, " + apart
	}
	errs.Add(at, hint, "key %q appears twice, first on line %d", name, first.Line)
	return joined
}
