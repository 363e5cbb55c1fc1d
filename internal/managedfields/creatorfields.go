package managedfields

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A creatorFields writes the fields that the creator of an object owns, in the form of managedFields (FieldsV1). These
// are all fields that differ from an object without any set fields. The text is the same as that of a fieldpath.Set
// with these fields, but is written without building the set or the empty object. If a new object were compared with an
// empty one instead, creating a Pod would take 1.46 times as long (BenchmarkPodCreate of package simulator).
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

// A scope describes the position of the value whose fields are visited.
type scope struct {
	depth int // 0 is the whole object
	// The fields that nobody owns, and those that this write does not own; nil if there are none.
	never, reset *fieldpath.Set
}

// createdFields returns the fields that the creator of an object owns, or nil if there are none. It omits the fields of
// reset, which a request cannot write. ok is false if the plan does not say which fields are owned.
func (s *fieldSchema) createdFields(p *plan, object reflect.Value, reset *fieldpath.Set) (text []byte, ok bool, err error) {
	w, known := s.creators.Get().(*creatorFields)
	if !known {
		w = &creatorFields{}
	}
	defer s.creators.Put(w)
	w.text, w.ok, w.err = append(w.text[:0], '{'), true, nil
	w.inside(p, zero, sideOf(object), scope{never: neverOwned(), reset: reset})
	if !w.ok || w.err != nil || len(w.text) == 1 {
		return nil, w.ok, w.err
	}
	w.text[len(w.text)-1] = '}' // in place of the last comma
	return slices.Clone(w.text), true, nil
}

// at writes the owned fields of a value. The name of the value is already in the text, starting at start, and is
// removed again if none of its fields is owned. e is only used if the parent scope has fields to omit.
func (w *creatorFields) at(start int, e *fieldpath.PathElement, p *plan, before baseline, after side, parent scope) {
	owned := true
	sc := scope{depth: parent.depth + 1}
	if parent.reset != nil {
		if parent.reset.Members.Has(*e) {
			w.text = w.text[:start]
			return
		}
		sc.reset = below(parent.reset, *e)
	}
	if parent.never != nil {
		owned = !parent.never.Members.Has(*e)
		sc.never = below(parent.never, *e)
	}
	w.text = append(w.text, '{')
	body := len(w.text)
	if before == absent && owned {
		w.text = append(w.text, `".":{},`...)
	}
	fields := len(w.text)
	changed := w.inside(p, before, after, sc)
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

// inside writes the owned fields of a value, each followed by a comma. It reports whether the value itself is owned if
// none of its fields is.
func (w *creatorFields) inside(p *plan, before baseline, after side, sc scope) (changed bool) {
	switch p.resolved().shape {
	case leaf:
	case record:
		if w.record(p, before, after, sc) {
			return before == absent
		}
	case mapping:
		if after.length() > 0 {
			w.mapping(p, after, sc)
			return before == absent
		}
	case keyed, set:
		if after.length() > 0 {
			w.list(p, after, sc)
			return before == absent
		}
	default:
		w.ok = false
		return false
	}
	return isChanged(p, before, after)
}

// isChanged reports whether a value without fields differs from its baseline.
func isChanged(p *plan, before baseline, after side) bool {
	switch {
	case before == absent:
		return true
	case before == null || !after.value.IsValid():
		return after.value.IsValid()
	}
	return !same(p, reflect.Zero(after.value.Type()), after.value)
}

// record writes the owned fields of a struct, and reports whether any field is present.
func (w *creatorFields) record(p *plan, before baseline, after side, sc scope) (any bool) {
	for i := range p.fields {
		f := &p.fields[i]
		field := f.in(after)
		if !field.present {
			continue
		}
		any = true
		if f.JsonName == "managedFields" && sc.depth == 1 {
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
		w.at(start, &f.element, f.plan, fresh, field, sc)
	}
	return any
}

func (w *creatorFields) mapping(p *plan, after side, sc scope) {
	keys := make([]string, 0, after.length())
	for it := after.value.MapRange(); it.Next(); {
		keys = append(keys, it.Key().String())
	}
	slices.Sort(keys)
	for _, key := range keys {
		start, e := len(w.text), fieldpath.PathElement{FieldName: &key}
		w.name(e)
		w.at(start, &e, p.element, absent, after.entry(key), sc)
	}
}

func (w *creatorFields) list(p *plan, after side, sc scope) {
	if p.shape == keyed && sc.never == nil && sc.reset == nil && w.plainList(p, after, sc) {
		return
	}
	items, ok := p.items(after)
	if !ok {
		w.ok = false
		return
	}
	for i := range items {
		start := len(w.text)
		w.name(items[i].element)
		w.at(start, &items[i].element, p.element, absent, items[i].value, sc)
	}
}

// A keyedItem is the index of a list item, with the values of its keys.
type keyedItem struct {
	keys [2]keyValue
	at   int
}

func (a keyedItem) compare(b keyedItem) int {
	return cmp.Or(a.keys[0].compare(b.keys[0]), a.keys[1].compare(b.keys[1]))
}

// plainList writes a list if every item has all keys, no two items have the same keys, and no key needs quoting.
// Otherwise it writes nothing and returns false.
func (w *creatorFields) plainList(p *plan, after side, sc scope) bool {
	var room [8]keyedItem
	items := room[:0]
	if len(p.keys) > len(keyedItem{}.keys) {
		return false
	}
	for i := range after.length() {
		item := keyedItem{at: i}
		for k := range p.keys {
			var ok bool
			if item.keys[k], ok = p.keys[k].plain(after.value.Index(i)); !ok {
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
		w.at(start, nil, p.element, absent, sideOf(after.value.Index(items[i].at)), sc)
	}
	return true
}

// A keyValue is the value of a key in an item: a string or a number. For one key it is always the same of the two.
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

// plain returns the value of the key in an item; ok is false if there is none, or if it needs quoting.
func (k *planKey) plain(item reflect.Value) (s keyValue, ok bool) {
	if k.field == nil {
		return keyValue{}, false
	}
	v := k.field.GetFrom(item)
	if k.field.CanOmit(v) {
		text, ok := k.defaultValue.(string)
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

// name writes the name of a path element.
func (w *creatorFields) name(e fieldpath.PathElement) {
	start := len(w.text)
	var plain bool
	if w.text, plain = appendName(w.text, e); !plain {
		// The library has its own rules for quoting.
		whole, err := fieldpath.NewSet(fieldpath.Path{e}).ToJSON()
		if err != nil {
			w.err = err
			return
		}
		w.text = append(w.text[:start], whole[1:len(whole)-len(`:{}}`)]...)
	}
	w.text = append(w.text, ':')
}

// appendName appends an element's name as a JSON string; plain is false if something in it needs quoting.
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

// appendScalar appends a scalar as JSON inside a JSON string.
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

// isPlainText reports whether the text is unchanged in JSON, and in JSON inside a JSON string.
func isPlainText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
