package managedfields

import (
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// compare finds which fields differ between two objects of one Go type, as the library's Compare does; ok is false if
// the plan does not say how, for example for lists with duplicate keys. managedFields is skipped: nobody owns it.
func (p *plan) compare(before, after reflect.Value) (c *comparison, ok bool) {
	w := comparer{comparison: newComparison(), ok: true}
	w.descend(p, sideOf(before), sideOf(after))
	return w.comparison, w.ok
}

type comparer struct {
	*comparison
	depth int // of the current path; 0 is the whole object
	ok    bool
}

// A side is one of two compared values. It may be absent, or present and null.
type side struct {
	present bool
	value   reflect.Value // with its pointer dereferenced; zero for null
}

func sideOf(v reflect.Value) side {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return side{present: true}
		}
		v = v.Elem()
	case reflect.Map, reflect.Slice:
		if v.IsNil() {
			return side{present: true}
		}
	}
	return side{present: true, value: v}
}

func (s side) length() int {
	if !s.value.IsValid() {
		return 0
	}
	return s.value.Len()
}

func (w *comparer) descend(p *plan, before, after side) {
	if !w.ok {
		return
	}
	switch p.resolved().shape {
	case leaf:
		w.leaf(p, before, after)
		return
	case record:
		w.oneSided(before, after)
		if !w.record(p, before, after) {
			w.leaf(p, before, after) // empty on both sides, which counts as a value
		}
	case mapping:
		if before.length() == 0 && after.length() == 0 {
			w.leaf(p, before, after)
			return
		}
		w.oneSided(before, after)
		w.mapping(p, before, after)
	case keyed, set:
		if before.length() == 0 && after.length() == 0 {
			w.leaf(p, before, after)
			return
		}
		w.oneSided(before, after)
		w.list(p, before, after)
	default:
		w.ok = false
	}
}

func (w *comparer) at(e fieldpath.PathElement, p *plan, before, after side) {
	w.enter(e)
	w.depth++
	w.descend(p, before, after)
	w.depth--
	w.leave()
}

// oneSided records whether only one of the objects has the current path, and reports whether that is so.
func (w *comparer) oneSided(before, after side) (only bool) {
	switch {
	case w.depth == 0: // the object as a whole has no owner
	case !before.present:
		w.added()
		return true
	case !after.present:
		w.removed()
		return true
	}
	return false
}

func (w *comparer) leaf(p *plan, before, after side) {
	if !w.oneSided(before, after) && w.depth > 0 && !same(p, before.value, after.value) {
		w.modified()
	}
}

// same reports whether two leaves are equal.
func same(p *plan, a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if p.converts == nil {
		switch a.Kind() {
		case reflect.String:
			return a.String() == b.String()
		case reflect.Bool:
			return a.Bool() == b.Bool()
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return a.Int() == b.Int()
		}
	}
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return true
	}
	return value.Equals(libraryValue(a), libraryValue(b))
}

// libraryValue returns v as the library sees it.
func libraryValue(v reflect.Value) value.Value {
	if !v.CanAddr() {
		copied := reflect.New(v.Type())
		copied.Elem().Set(v)
		v = copied.Elem()
	}
	seen, err := value.NewValueReflect(v.Addr().Interface())
	if err != nil {
		panic(err) // only for values that are not pointers
	}
	return seen
}

// record compares the fields of two structs. It reports whether any field is present.
func (w *comparer) record(p *plan, before, after side) (any bool) {
	for i := range p.fields {
		f := &p.fields[i]
		b, a := f.in(before), f.in(after)
		if !b.present && !a.present {
			continue
		}
		any = true
		if f.JsonName == "managedFields" && w.depth == 1 {
			continue
		}
		w.at(f.element, f.plan, b, a)
	}
	return any
}

// in returns the field of a struct. It is absent where JSON omits it.
func (f *planField) in(s side) side {
	if !s.value.IsValid() {
		return side{}
	}
	var v reflect.Value
	if f.index >= 0 {
		v = s.value.Field(f.index)
	} else {
		v = f.GetFrom(s.value)
	}
	if f.omits(v) {
		return side{}
	}
	return sideOf(v)
}

func (w *comparer) mapping(p *plan, before, after side) {
	keys := make([]string, 0, before.length()+after.length())
	for _, s := range []side{before, after} {
		if s.value.IsValid() {
			for it := s.value.MapRange(); it.Next(); {
				keys = append(keys, it.Key().String())
			}
		}
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		w.at(fieldpath.FieldNameElement(key), p.element, before.entry(key), after.entry(key))
	}
}

// entry returns the entry of a map.
func (s side) entry(key string) side {
	if !s.value.IsValid() {
		return side{}
	}
	v := s.value.MapIndex(reflect.ValueOf(key).Convert(s.value.Type().Key()))
	if !v.IsValid() {
		return side{}
	}
	return sideOf(v)
}

// An item is an item of a list with its path element.
type item struct {
	element fieldpath.PathElement
	value   side
}

func (w *comparer) list(p *plan, before, after side) {
	old, known := p.items(before)
	now, knownNow := p.items(after)
	if w.ok = known && knownNow; !w.ok {
		return
	}
	for i, n := 0, 0; i < len(old) || n < len(now); {
		order := 0
		switch {
		case i == len(old):
			order = 1
		case n == len(now):
			order = -1
		default:
			order = old[i].element.Compare(now[n].element)
		}
		switch {
		case order < 0:
			w.at(old[i].element, p.element, old[i].value, side{})
			i++
		case order > 0:
			w.at(now[n].element, p.element, side{}, now[n].value)
			n++
		default:
			w.at(old[i].element, p.element, old[i].value, now[n].value)
			i, n = i+1, n+1
		}
	}
}

// items returns the items of a list, sorted by path element; ok is false if an item has none, or two have the same.
func (p *plan) items(s side) (list []item, ok bool) {
	list = make([]item, 0, s.length())
	for i := range s.length() {
		v := s.value.Index(i)
		e, ok := p.elementOf(v)
		if !ok {
			return nil, false
		}
		list = append(list, item{e, sideOf(v)})
	}
	slices.SortFunc(list, func(a, b item) int { return a.element.Compare(b.element) })
	for i := 1; i < len(list); i++ {
		if list[i].element.Equals(list[i-1].element) {
			return nil, false
		}
	}
	return list, true
}

// elementOf returns the path element of an item of a list; ok is false for an item without any key.
func (p *plan) elementOf(v reflect.Value) (e fieldpath.PathElement, ok bool) {
	if p.shape == set {
		return fieldpath.ValueElement(value.NewValueInterface(scalarIn(v))), true
	}
	if len(p.keys) == 1 && p.keys[0].isText {
		if name := p.keys[0].field.GetFrom(v); name.String() != "" {
			return fieldpath.PathElement{Key: &value.FieldList{{Name: p.keys[0].name, Value: value.NewValueInterface(name.String())}}}, true
		}
	}
	fields := make(value.FieldList, 0, len(p.keys))
	for _, k := range p.keys {
		content := k.defaultValue
		if k.field != nil {
			if f := k.field.GetFrom(v); !k.field.CanOmit(f) {
				content = scalarIn(f)
			}
		}
		if content != nil {
			fields = append(fields, value.Field{Name: k.name, Value: value.NewValueInterface(content)})
		}
	}
	fields.Sort()
	return fieldpath.PathElement{Key: &fields}, len(fields) > 0
}

// scalarIn returns a scalar as JSON has it.
func scalarIn(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	}
	return v.Int()
}
