package patch

import (
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// compare tells which fields differ between two objects of one Go type, as the library's
// Compare does; ok is false where the plan does not say how, such as for lists in which a
// key comes twice. managedFields are left out: nobody owns them.
func (p *plan) compare(before, after reflect.Value) (c *typed.Comparison, ok bool) {
	w := comparer{
		removed: trail{fieldpath.NewSet()}, modified: trail{fieldpath.NewSet()}, added: trail{fieldpath.NewSet()},
		ok: true,
	}
	w.descend(p, sideOf(before), sideOf(after))
	return &typed.Comparison{Removed: w.removed[0], Modified: w.modified[0], Added: w.added[0]}, w.ok
}

type comparer struct {
	path                     fieldpath.Path
	removed, modified, added trail
	ok                       bool
}

// A trail is the sets on the way down to where the comparer is, as far as something was
// inserted there: the whole one first, then that of the path's first element, and so on. It
// saves looking for the place of each field from the top.
type trail []*fieldpath.Set

func (t *trail) insert(path fieldpath.Path) {
	if len(path) == 0 {
		return // the whole object is nobody's
	}
	for len(*t) < len(path) {
		*t = append(*t, (*t)[len(*t)-1].Children.Descend(path[len(*t)-1]))
	}
	(*t)[len(path)-1].Members.Insert(path[len(path)-1])
}

// back forgets what is deeper than a path of that length.
func (t *trail) back(length int) {
	if len(*t) > length+1 {
		*t = (*t)[:length+1]
	}
}

// A side is one of the two values: there or not, and null where it is there without one.
type side struct {
	there bool
	value reflect.Value // behind its pointer; zero for null
}

func sideOf(v reflect.Value) side {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return side{there: true}
		}
		v = v.Elem()
	case reflect.Map, reflect.Slice:
		if v.IsNil() {
			return side{there: true}
		}
	}
	return side{there: true, value: v}
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
	switch p.shape {
	case leaf:
		w.leaf(p, before, after)
		return
	case record:
		if !w.record(p, before, after) {
			w.leaf(p, before, after) // empty on both sides, which counts as a value
			return
		}
	case mapping:
		if before.length() == 0 && after.length() == 0 {
			w.leaf(p, before, after)
			return
		}
		w.mapping(p, before, after)
	case keyed, set:
		if before.length() == 0 && after.length() == 0 {
			w.leaf(p, before, after)
			return
		}
		w.list(p, before, after)
	default:
		w.ok = false
		return
	}
	switch {
	case !before.there:
		w.added.insert(w.path)
	case !after.there:
		w.removed.insert(w.path)
	}
}

func (w *comparer) at(e fieldpath.PathElement, p *plan, before, after side) {
	w.path = append(w.path, e)
	w.descend(p, before, after)
	w.path = w.path[:len(w.path)-1]
	w.removed.back(len(w.path))
	w.modified.back(len(w.path))
	w.added.back(len(w.path))
}

func (w *comparer) leaf(p *plan, before, after side) {
	switch {
	case !before.there:
		w.added.insert(w.path)
	case !after.there:
		w.removed.insert(w.path)
	case !same(p, before.value, after.value):
		w.modified.insert(w.path)
	}
}

// same tells whether two leaves are equal.
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

// libraryValue is v as the library sees it.
func libraryValue(v reflect.Value) value.Value {
	if !v.CanAddr() {
		copied := reflect.New(v.Type())
		copied.Elem().Set(v)
		v = copied.Elem()
	}
	seen, err := value.NewValueReflect(v.Addr().Interface())
	if err != nil {
		panic(err) // only for what is no pointer
	}
	return seen
}

// record goes through the fields of two structs. It tells whether there are any.
func (w *comparer) record(p *plan, before, after side) (any bool) {
	for i := range p.fields {
		f := &p.fields[i]
		b, a := f.of(before), f.of(after)
		if !b.there && !a.there {
			continue
		}
		any = true
		if f.JsonName == "managedFields" && len(w.path) == 1 {
			continue
		}
		w.at(f.element, f.plan, b, a)
	}
	return any
}

// of is the field of a struct, not there where JSON would leave it out.
func (f *planField) of(s side) side {
	if !s.value.IsValid() {
		return side{}
	}
	v := f.GetFrom(s.value)
	if f.CanOmit(v) {
		return side{}
	}
	return sideOf(v)
}

func (w *comparer) mapping(p *plan, before, after side) {
	entry := func(s side, key reflect.Value) side {
		if !s.value.IsValid() {
			return side{}
		}
		v := s.value.MapIndex(key)
		if !v.IsValid() {
			return side{}
		}
		return sideOf(v)
	}
	visit := func(s side, each func(key reflect.Value)) {
		if s.value.IsValid() {
			for it := s.value.MapRange(); it.Next(); {
				each(it.Key())
			}
		}
	}
	visit(before, func(key reflect.Value) {
		w.at(fieldpath.FieldNameElement(key.String()), p.element, entry(before, key), entry(after, key))
	})
	visit(after, func(key reflect.Value) {
		if b := entry(before, key); !b.there {
			w.at(fieldpath.FieldNameElement(key.String()), p.element, b, entry(after, key))
		}
	})
}

// An item of a list, and what it is called.
type item struct {
	element fieldpath.PathElement
	value   side
}

func (w *comparer) list(p *plan, before, after side) {
	old, now := w.items(p, before), w.items(p, after)
	if !w.ok {
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

// items are those of a list in the order of their names, each of which must come once.
func (w *comparer) items(p *plan, s side) []item {
	list := make([]item, 0, s.length())
	for i := range s.length() {
		v := s.value.Index(i)
		e, ok := p.elementOf(v)
		if !ok {
			w.ok = false
			return nil
		}
		list = append(list, item{e, sideOf(v)})
	}
	slices.SortFunc(list, func(a, b item) int { return a.element.Compare(b.element) })
	for i := 1; i < len(list); i++ {
		if list[i].element.Equals(list[i-1].element) {
			w.ok = false
		}
	}
	return list
}

// elementOf names an item of a list. ok is false for one without any key.
func (p *plan) elementOf(v reflect.Value) (e fieldpath.PathElement, ok bool) {
	if p.shape == set {
		return fieldpath.ValueElement(value.NewValueInterface(scalarIn(v))), true
	}
	fields := make(value.FieldList, 0, len(p.keys))
	for _, k := range p.keys {
		content := k.otherwise
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

// scalarIn is a scalar as JSON has it.
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
