package patch

import (
	"slices"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A firstOwner is the changes between nothing and an object that is new, as managedFields
// has them (FieldsV1): all that is added or modified belongs to who made the object. It is
// the text that a set of these fields would write, without the set.
type firstOwner struct {
	text  []byte
	nodes []node // on the way down to where the comparer is; the first is the whole object
	err   error
}

// A node is one place on the way down.
type node struct {
	element fieldpath.PathElement
	owned   bool // the place itself
	hidden  bool // nothing of it is owned
	opened  bool // something below it was written
	filled  bool // and needs a comma after it
	// What of the fields below it is nobody's, and what is not this write's; nil for nothing.
	never, reset *fieldpath.Set
}

// firstOwner starts one, in the room of one that is done.
func (s *Schema) firstOwner(reset *fieldpath.Set) *firstOwner {
	w, ok := s.firstOwners.Get().(*firstOwner)
	if !ok {
		w = &firstOwner{}
	}
	w.text, w.err = append(w.text[:0], '{'), nil
	w.nodes = append(w.nodes[:0], node{never: neverOwned(), reset: reset, opened: true})
	return w
}

// done gives back the room that w needed. Nothing more can be asked of it.
func (s *Schema) done(w *firstOwner) {
	clear(w.nodes[:cap(w.nodes)])
	s.firstOwners.Put(w)
}

// fields are those that the owner has, nil for none.
func (w *firstOwner) fields() ([]byte, error) {
	if w.err != nil || !w.nodes[0].filled {
		return nil, w.err
	}
	return slices.Clone(append(w.text, '}')), nil
}

func (w *firstOwner) enter(e fieldpath.PathElement) {
	above := &w.nodes[len(w.nodes)-1]
	w.nodes = append(w.nodes, node{
		element: e,
		hidden:  above.hidden || above.reset != nil && above.reset.Members.Has(e),
		never:   below(above.never, e),
		reset:   below(above.reset, e),
	})
}

func below(s *fieldpath.Set, e fieldpath.PathElement) *fieldpath.Set {
	if s == nil || s.Children.Empty() {
		return nil
	}
	child, _ := s.Children.Get(e)
	return child
}

func (w *firstOwner) removed() {} // there was nothing

func (w *firstOwner) modified() { w.added() }

func (w *firstOwner) added() {
	here, above := &w.nodes[len(w.nodes)-1], &w.nodes[len(w.nodes)-2]
	here.owned = !here.hidden && (above.never == nil || !above.never.Members.Has(here.element))
}

func (w *firstOwner) leave() {
	here := len(w.nodes) - 1
	switch {
	case w.nodes[here].opened:
		w.text = append(w.text, '}')
	case w.nodes[here].owned:
		w.open(here - 1)
		w.name(here)
		w.text = append(w.text, "{}"...)
	}
	w.nodes = w.nodes[:here]
}

// open writes the beginning of a node, and of those above it.
func (w *firstOwner) open(i int) {
	if w.nodes[i].opened {
		return
	}
	w.open(i - 1)
	w.name(i)
	w.text = append(w.text, '{')
	w.nodes[i].opened = true
	if w.nodes[i].owned {
		w.text = append(w.text, `".":{}`...)
		w.nodes[i].filled = true
	}
}

// name writes what a node is called.
func (w *firstOwner) name(i int) {
	if w.nodes[i-1].filled {
		w.text = append(w.text, ',')
	}
	w.nodes[i-1].filled = true
	start := len(w.text)
	var plain bool
	if w.text, plain = appendName(w.text, w.nodes[i].element); !plain {
		// The library has a way of its own with quotes.
		whole, err := fieldpath.NewSet(fieldpath.Path{w.nodes[i].element}).ToJSON()
		if err != nil {
			w.err = err
			return
		}
		w.text = append(w.text[:start], whole[1:len(whole)-len(`:{}}`)]...)
	}
	w.text = append(w.text, ':')
}

// appendName appends an element's name as a JSON string; plain is false where something in it
// would have to be quoted.
func appendName(text []byte, e fieldpath.PathElement) (_ []byte, plain bool) {
	text, plain = append(text, '"'), true
	switch {
	case e.FieldName != nil:
		text = append(append(text, "f:"...), *e.FieldName...)
		plain = isPlainText(*e.FieldName)
	case e.Value != nil:
		text, plain = appendScalar(append(text, "v:"...), (*e.Value).Unstructured())
	case e.Key != nil:
		text = append(text, "k:{"...)
		for i, field := range *e.Key {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(append(append(text, `\"`...), field.Name...), `\":`...)
			var plainValue bool
			text, plainValue = appendScalar(text, field.Value.Unstructured())
			plain = plain && plainValue
		}
		text = append(text, '}')
	default:
		plain = false
	}
	return append(text, '"'), plain
}

// appendScalar appends a scalar as JSON in a JSON string.
func appendScalar(text []byte, v any) (_ []byte, plain bool) {
	switch v := v.(type) {
	case string:
		return append(append(append(text, `\"`...), v...), `\"`...), isPlainText(v)
	case int64:
		return strconv.AppendInt(text, v, 10), true
	case bool:
		return strconv.AppendBool(text, v), true
	}
	return text, false
}

// isPlainText tells whether JSON, and JSON in JSON, has the text as it is.
func isPlainText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
