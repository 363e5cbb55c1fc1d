package managedfields

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// A plan says how two values of one Go type are compared field by field. It holds what the library determines for each
// value anew, from the schema and by reflection.
//
// A plan is resolved when a value is first compared by it. The plan of a Pod has parts for everything that a Pod may
// have, and resolving all of them takes 3.4 times as long as resolving those that a usual Pod needs (BenchmarkPlan). If
// all were resolved, a suite of one Pod would take 1.10 times as long: 1.7 ms of its goal of 30 ms (medians of 60 runs
// of builds with and without it, in turns).
type plan struct {
	id     planID
	schema *fieldSchema // nil if it does not know the type
	once   sync.Once

	shape shape
	// converts is set for a type that writes its own JSON: a time, a quantity.
	converts *value.TypeReflectCacheEntry
	fields   []planField // of a struct, by name
	element  *plan       // of a map or a list
	keys     []planKey   // of a list whose items have keys
}

// A shape is the kind of a value in server-side apply.
type shape int

const (
	unsupported shape = iota // left to the library
	leaf                     // one value: a scalar, or atomic
	record                   // a struct, field by field
	mapping                  // a map, entry by entry
	keyed                    // a list whose items have keys
	set                      // a list of distinct scalars
)

type planField struct {
	*value.FieldCacheEntry
	index   int // among the struct's own fields; negative for a field of an embedded struct
	omit    omission
	unset   baseline // its baseline in a struct without any set fields
	element fieldpath.PathElement
	label   string // its name as managedFields write it; empty if the library has to write it
	plan    *plan
}

type planKey struct {
	name         string
	field        *value.FieldCacheEntry // nil if the items have no such field
	defaultValue any                    // the value for an item without the field; nil if the item then has no such key
	isText       bool                   // the field is a string
}

// plans holds the plans of one schema, each created when it is first needed.
type plans struct {
	lock sync.Mutex
	made map[planID]*plan
}

type planID struct {
	goType reflect.Type
	ref    smdschema.TypeRef
}

// planOf returns the plan for a Go type that the schema describes as ref.
func (s *fieldSchema) planOf(t reflect.Type, ref smdschema.TypeRef) *plan {
	s.plans.lock.Lock()
	defer s.plans.lock.Unlock()
	id := planID{t, ref}
	p, ok := s.plans.made[id]
	if !ok {
		if s.plans.made == nil {
			s.plans.made = map[planID]*plan{}
		}
		p = &plan{id: id, schema: s}
		s.plans.made[id] = p
	}
	return p
}

// resolved returns the plan after resolving it, but not its parts.
func (p *plan) resolved() *plan {
	p.once.Do(p.resolve)
	return p
}

func (p *plan) resolve() {
	if p.schema == nil {
		return
	}
	s, t := p.schema, p.id.goType
	atom, ok := s.types.Schema.Resolve(p.id.ref)
	if !ok {
		return
	}
	entry := value.TypeReflectEntryOf(t)
	if entry.CanConvertToUnstructured() {
		p.converts = entry
	}
	if isLeaf(atom) {
		p.shape = leaf
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case p.converts != nil || atom.Scalar != nil:
	case atom.Map != nil && atom.List == nil && t.Kind() == reflect.Struct:
		s.planRecord(p, t, atom.Map)
	case atom.Map != nil && atom.List == nil && t.Kind() == reflect.Map && len(atom.Map.Fields) == 0:
		p.shape, p.element = mapping, s.planOf(t.Elem(), atom.Map.ElementType)
	case atom.List != nil && atom.Map == nil && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		s.planList(p, t, atom.List)
	}
}

// isLeaf reports whether a value can only be a single value: a scalar, or atomic.
func isLeaf(a smdschema.Atom) bool {
	return (a.Map == nil || a.Map.ElementRelationship == smdschema.Atomic) &&
		(a.List == nil || a.List.ElementRelationship == smdschema.Atomic)
}

func (s *fieldSchema) planRecord(p *plan, t reflect.Type, m *smdschema.Map) {
	p.shape = record
	times := s.times && t == reflect.TypeFor[metav1.ObjectMeta]()
	for _, f := range value.TypeReflectEntryOf(t).OrderedFields() {
		ref := m.ElementType
		if known, ok := m.FindField(f.JsonName); ok {
			ref = known.Type
		}
		part := &plan{} // not in the schema
		if ref != (smdschema.TypeRef{}) {
			part = s.planOf(fieldType(t, f), ref)
		}
		omit := omissionOf(fieldType(t, f), f)
		if times && f.JsonName == creationTime {
			omit = never
		}
		p.fields = append(p.fields, newPlanField(t, f, omit, part))
	}
}

func newPlanField(t reflect.Type, f *value.FieldCacheEntry, omit omission, part *plan) planField {
	made := planField{
		FieldCacheEntry: f, index: ownField(t, f.JsonName), omit: omit,
		element: fieldpath.FieldNameElement(f.JsonName), plan: part,
	}
	if nothing := reflect.Zero(fieldType(t, f)); !made.omits(nothing) {
		if made.unset = zero; !sideOf(nothing).value.IsValid() {
			made.unset = null
		}
	}
	if label, plain := appendName(nil, made.element); plain {
		made.label = string(label) + ":"
	}
	return made
}

// An omission says when JSON omits a field, as far as that can be decided in advance.
type omission int

const (
	askLibrary omission = iota
	whenEmpty           // a list, a map, a string
	whenZero
	never
)

func omissionOf(t reflect.Type, f *value.FieldCacheEntry) omission {
	empty := reflect.Zero(t)
	how := askLibrary
	switch t.Kind() {
	case reflect.String:
		how = whenEmpty
	case reflect.Slice:
		how, empty = whenEmpty, reflect.MakeSlice(t, 0, 0)
	case reflect.Map:
		how, empty = whenEmpty, reflect.MakeMap(t)
	case reflect.Pointer, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		how = whenZero
	}
	if !f.CanOmit(empty) {
		return askLibrary
	}
	return how
}

// omits reports whether JSON omits a value of the field.
func (f *planField) omits(v reflect.Value) bool {
	switch f.omit {
	case whenEmpty:
		return v.Len() == 0
	case whenZero:
		return v.IsZero()
	case never:
		return false
	}
	return f.CanOmit(v)
}

// ownField returns the index of the struct field with a JSON name, or -1 if there is none.
func ownField(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return i
		}
	}
	return -1
}

// fieldType returns the type of a field, which may belong to an embedded struct.
func fieldType(t reflect.Type, f *value.FieldCacheEntry) reflect.Type {
	return f.GetFrom(reflect.Zero(t)).Type()
}

func (s *fieldSchema) planList(p *plan, t reflect.Type, l *smdschema.List) {
	if l.ElementRelationship != smdschema.Associative {
		return
	}
	p.element = s.planOf(t.Elem(), l.ElementType)
	if len(l.Keys) == 0 {
		if p.element.resolved().shape == leaf && p.element.converts == nil && isPlain(t.Elem().Kind()) {
			p.shape = set
		}
		return
	}
	atom, ok := s.types.Schema.Resolve(l.ElementType)
	if !ok || atom.Map == nil || t.Elem().Kind() != reflect.Struct {
		return
	}
	known := value.TypeReflectEntryOf(t.Elem()).Fields()
	for _, name := range l.Keys {
		key := planKey{name: name, field: known[name]}
		if f, ok := atom.Map.FindField(name); ok {
			key.defaultValue = f.Default
		}
		if key.field != nil && !isPlain(plainType(fieldType(t.Elem(), key.field)).Kind()) {
			return
		}
		key.isText = key.field != nil && fieldType(t.Elem(), key.field).Kind() == reflect.String
		p.keys = append(p.keys, key)
	}
	slices.SortFunc(p.keys, func(a, b planKey) int { return strings.Compare(a.name, b.name) })
	p.shape = keyed
}

func plainType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func isPlain(k reflect.Kind) bool {
	switch k {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return true
	}
	return false
}
