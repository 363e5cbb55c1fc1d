package managedfields

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A creatorFields writes the fields that the creator of an object owns, in the form of managedFields
// (FieldsV1). These are all fields that differ from an object without any set fields. The text is
// the same as that of a fieldpath.Set with these fields, but needs neither the set nor the other object. Without it,
// where a new object is compared with an empty one, to create a Pod takes 1.46 times as long (BenchmarkPodCreate of
// package simulator).
type creatorFields struct {
	text []byte
	ok   bool // the plan says which fields are owned
	err  error
}

// A baseline is the value that a field has in an object without any set fields.
type baseline int

const (
	absent baseline = iota
	null
	zero // a value without any set fields
)

// A surrounding is what is known about the value whose fields are visited.
type surrounding struct {
	depth int // 0 is the whole object
	// The fields that nobody owns, and those that this write does not own; nil for none.
	never, reset *fieldpath.Set
}

// createdFields returns the fields that the creator of an object owns, or nil if there are none. It leaves
// out the fields of reset, which a request cannot write. ok is false if the plan does not say which fields
// are owned.
func (s *Schema) createdFields(p *plan, object reflect.Value, reset *fieldpath.Set) (text []byte, ok bool, err error) {
	w, known := s.creators.Get().(*creatorFields)
	if !known {
		w = &creatorFields{}
	}
	defer s.creators.Put(w)
	w.text, w.ok, w.err = append(w.text[:0], '{'), true, nil
	w.inside(p, zero, sideOf(object), surrounding{never: neverOwned(), reset: reset})
	if !w.ok || w.err != nil || len(w.text) == 1 {
		return nil, w.ok, w.err
	}
	w.text[len(w.text)-1] = '}' // in place of the last comma
	return slices.Clone(w.text), true, nil
}

// at writes the owned fields of a value. The name of the value is already in the text, from start on,
// and is removed again if none of its fields is owned. e is only used if in has fields to leave out.
func (w *creatorFields) at(start int, e *fieldpath.PathElement, p *plan, before baseline, is side, in surrounding) {
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
func (w *creatorFields) inside(p *plan, before baseline, is side, here surrounding) (changed bool) {
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

// isChanged reports whether a value without fields differs from its baseline.
func isChanged(p *plan, before baseline, is side) bool {
	switch {
	case before == absent:
		return true
	case before == null || !is.value.IsValid():
		return is.value.IsValid()
	}
	return !same(p, reflect.Zero(is.value.Type()), is.value)
}

// record writes the owned fields of a struct, and reports whether any field is present.
func (w *creatorFields) record(p *plan, before baseline, is side, here surrounding) (any bool) {
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

func (w *creatorFields) mapping(p *plan, is side, here surrounding) {
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

func (w *creatorFields) list(p *plan, is side, here surrounding) {
	if p.shape == keyed && here.never == nil && here.reset == nil && w.plainly(p, is, here) {
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

// A keyedItem is an item of a list, and what its keys say.
type keyedItem struct {
	keys [2]keyValue
	at   int
}

func (a keyedItem) compare(b keyedItem) int {
	return cmp.Or(a.keys[0].compare(b.keys[0]), a.keys[1].compare(b.keys[1]))
}

// plainly writes a list of which each item has all keys, none as another, and nothing in them
// that would have to be quoted. It writes nothing if that is not so.
func (w *creatorFields) plainly(p *plan, is side, here surrounding) bool {
	var room [8]keyedItem
	items := room[:0]
	if len(p.keys) > len(keyedItem{}.keys) {
		return false
	}
	for i := range is.length() {
		item := keyedItem{at: i}
		for k := range p.keys {
			var ok bool
			if item.keys[k], ok = p.keys[k].plain(is.value.Index(i)); !ok {
				return false
			}
		}
		items = append(items, item)
	}
	slices.SortFunc(items, keyedItem.compare)
	for i := 1; i < len(items); i++ {
		if items[i].compare(items[i-1]) == 0 {
			return false
		}
	}
	for i := range items {
		start := len(w.text)
		w.text = append(w.text, `"k:{`...)
		for k := range p.keys {
			if k > 0 {
				w.text = append(w.text, ',')
			}
			w.text = append(append(append(w.text, `\"`...), p.keys[k].name...), `\":`...)
			w.text = items[i].keys[k].append(w.text)
		}
		w.text = append(w.text, `}":`...)
		w.at(start, nil, p.element, absent, sideOf(is.value.Index(items[i].at)), here)
	}
	return true
}

// A keyValue is what a key says of an item: a text or a number, and always the same of the two.
type keyValue struct {
	isText bool
	text   string
	number int64
}

func (a keyValue) compare(b keyValue) int {
	return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.number, b.number))
}

func (a keyValue) append(text []byte) []byte {
	if a.isText {
		return append(append(append(text, `\"`...), a.text...), `\"`...)
	}
	return strconv.AppendInt(text, a.number, 10)
}

// plain is what the key says of an item; ok is false if that is nothing, or takes care.
func (k *planKey) plain(item reflect.Value) (s keyValue, ok bool) {
	if k.field == nil {
		return keyValue{}, false
	}
	v := k.field.GetFrom(item)
	if k.field.CanOmit(v) {
		text, ok := k.otherwise.(string)
		return keyValue{isText: true, text: text}, ok && k.isText && isPlainText(text)
	}
	switch v.Kind() {
	case reflect.String:
		return keyValue{isText: true, text: v.String()}, isPlainText(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return keyValue{number: v.Int()}, true
	}
	return keyValue{}, false
}

// name writes what a place is called.
func (w *creatorFields) name(e fieldpath.PathElement) {
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

// appendName appends an element's name as a JSON string; plain is false if something in it
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

// isPlainText reports whether JSON, and JSON in JSON, has the text as it is.
func isPlainText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
