package patch

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A firstOwner writes which fields the maker of an object owns, as managedFields have them
// (FieldsV1): all in which it differs from an object in which nothing is set. It is the text
// that a set of these fields would write, without the set, and without the other object.
type firstOwner struct {
	text []byte
	ok   bool // the plan says how
	err  error
}

// A was is what stands at a place in an object in which nothing is set.
type was int

const (
	absent was = iota
	null
	zero // a value in which nothing is set
)

// A surrounding is what is known of a place whose fields are gone through.
type surrounding struct {
	depth int // 0 is the whole object
	// What of the fields is nobody's, and what is not this write's; nil for nothing.
	never, reset *fieldpath.Set
}

// ownedText is the fields that the maker of an object owns, nil for none; reset are those that
// it does not write. ok is false where the plan does not say which.
func (s *Schema) ownedText(p *plan, object reflect.Value, reset *fieldpath.Set) (text []byte, ok bool, err error) {
	w, known := s.firstOwners.Get().(*firstOwner)
	if !known {
		w = &firstOwner{}
	}
	defer s.firstOwners.Put(w)
	w.text, w.ok, w.err = append(w.text[:0], '{'), true, nil
	w.inside(p, zero, sideOf(object), surrounding{never: neverOwned(), reset: reset})
	if !w.ok || w.err != nil || len(w.text) == 1 {
		return nil, w.ok, w.err
	}
	w.text[len(w.text)-1] = '}' // which was a comma
	return slices.Clone(w.text), true, nil
}

// at writes what is owned of a place that was written the name of, from start on.
func (w *firstOwner) at(start int, e *fieldpath.PathElement, p *plan, before was, is side, in surrounding) {
	owned := true
	here := surrounding{depth: in.depth + 1}
	if in.reset != nil {
		if in.reset.Members.Has(*e) {
			w.text = w.text[:start]
			return
		}
		here.reset = below(in.reset, *e)
	}
	if in.never != nil {
		owned = !in.never.Members.Has(*e)
		here.never = below(in.never, *e)
	}
	w.text = append(w.text, '{')
	body := len(w.text)
	if before == absent && owned {
		w.text = append(w.text, `".":{},`...)
	}
	fields := len(w.text)
	changed := w.inside(p, before, is, here)
	switch {
	case len(w.text) > fields:
		w.text = append(w.text[:len(w.text)-1], "},"...)
	case changed && owned:
		w.text = append(w.text[:body], "},"...)
	default:
		w.text = w.text[:start]
	}
}

func below(s *fieldpath.Set, e fieldpath.PathElement) *fieldpath.Set {
	if s.Children.Empty() {
		return nil
	}
	child, _ := s.Children.Get(e)
	return child
}

// inside writes what is owned of the fields at a place, each with a comma after it. It tells
// whether the place itself is owned if none of them are.
func (w *firstOwner) inside(p *plan, before was, is side, here surrounding) (changed bool) {
	switch p.found().shape {
	case leaf:
	case record:
		if w.record(p, before, is, here) {
			return before == absent
		}
	case mapping:
		if is.length() > 0 {
			w.mapping(p, is, here)
			return before == absent
		}
	case keyed, set:
		if is.length() > 0 {
			w.list(p, is, here)
			return before == absent
		}
	default:
		w.ok = false
		return false
	}
	return isChanged(p, before, is)
}

// isChanged tells whether a value without fields is another than before.
func isChanged(p *plan, before was, is side) bool {
	switch {
	case before == absent:
		return true
	case before == null || !is.value.IsValid():
		return is.value.IsValid()
	}
	return !same(p, reflect.Zero(is.value.Type()), is.value)
}

// record writes the fields of a struct. It tells whether it has any.
func (w *firstOwner) record(p *plan, before was, is side, here surrounding) (any bool) {
	for i := range p.fields {
		f := &p.fields[i]
		field := f.of(is)
		if !field.there {
			continue
		}
		any = true
		if f.JsonName == "managedFields" && here.depth == 1 {
			continue
		}
		start, fresh := len(w.text), absent
		if before == zero {
			fresh = f.unset
		}
		if f.label == "" {
			w.name(f.element)
		} else {
			w.text = append(w.text, f.label...)
		}
		w.at(start, &f.element, f.plan, fresh, field, here)
	}
	return any
}

func (w *firstOwner) mapping(p *plan, is side, here surrounding) {
	keys := make([]string, 0, is.length())
	for it := is.value.MapRange(); it.Next(); {
		keys = append(keys, it.Key().String())
	}
	slices.Sort(keys)
	for _, key := range keys {
		start, e := len(w.text), fieldpath.PathElement{FieldName: &key}
		w.name(e)
		w.at(start, &e, p.element, absent, is.entry(key), here)
	}
}

func (w *firstOwner) list(p *plan, is side, here surrounding) {
	if p.shape == keyed && len(p.keys) == 1 && p.keys[0].isText && here.never == nil && here.reset == nil && w.named(p, is, here) {
		return
	}
	items, ok := p.items(is)
	if !ok {
		w.ok = false
		return
	}
	for i := range items {
		start := len(w.text)
		w.name(items[i].element)
		w.at(start, &items[i].element, p.element, absent, items[i].value, here)
	}
}

// named writes a list of which each item has a name of its own, as most have. It writes
// nothing where that is not so.
func (w *firstOwner) named(p *plan, is side, here surrounding) bool {
	type namedItem struct {
		name string
		at   int
	}
	var room [8]namedItem
	items := room[:0]
	for i := range is.length() {
		name := p.keys[0].field.GetFrom(is.value.Index(i)).String()
		if name == "" || !isPlainText(name) {
			return false
		}
		items = append(items, namedItem{name, i})
	}
	slices.SortFunc(items, func(a, b namedItem) int { return cmp.Compare(a.name, b.name) })
	for i, item := range items {
		if i > 0 && item.name == items[i-1].name {
			return false
		}
	}
	for _, item := range items {
		start := len(w.text)
		w.text = append(append(append(append(w.text, `"k:{\"`...), p.keys[0].name...), `\":\"`...), item.name...)
		w.text = append(w.text, `\"}":`...)
		w.at(start, nil, p.element, absent, sideOf(is.value.Index(item.at)), here)
	}
	return true
}

// name writes what a place is called.
func (w *firstOwner) name(e fieldpath.PathElement) {
	start := len(w.text)
	var plain bool
	if w.text, plain = appendName(w.text, e); !plain {
		// The library has a way of its own with quotes.
		whole, err := fieldpath.NewSet(fieldpath.Path{e}).ToJSON()
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
