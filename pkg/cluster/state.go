// Package cluster holds the objects that exist before a request, as an immutable [State]. Start with [New].
// [State.With] and [State.Without] return a new state and leave the old one unchanged; their cost hardly grows with the
// number of objects.
//
// Objects are kept in the version in which the server stores them. The package knows nothing about requests, and does
// not validate objects.
package cluster

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Key names one object of a cluster. Namespace is empty for cluster-scoped kinds.
type Key struct {
	schema.GroupKind
	Namespace string
	Name      string
}

// An Object is an object of the cluster, together with where the user wrote it.
type Object struct {
	runtime.Object
	// Written is the object as stored, if reading changes it: by adding defaults, or dropping unknown fields. Nil: it
	// is the same.
	Written runtime.Object
	// Tracked says that a request wrote the object, so its managedFields are complete.
	Tracked bool
	Source  string // file:line; empty if a request or the server itself created the object
	Places  Places // nil: only the place of the whole object is known
}

// Places knows where the parts of an object were written.
type Places interface {
	// Place returns the source of a field. path is written as in the API server's errors.
	Place(path string) string
}

// PlaceOf returns the source of a field, or that of the whole object if the source of the field is not known.
func (o Object) PlaceOf(path string) string {
	if o.Places == nil {
		return o.Source
	}
	return o.Places.Place(path)
}

// Replaced returns o after a write. by is the new object, from the same source.
func (o Object) Replaced(by runtime.Object) Object {
	o.Object, o.Written = by, nil
	return o
}

// Stored returns the object as stored.
func (o Object) Stored() runtime.Object {
	if o.Written != nil {
		return o.Written
	}
	return o.Object
}

// KeyOf returns the key of obj, which must have metadata and its kind set.
func KeyOf(obj runtime.Object) Key {
	k := Key{GroupKind: obj.GetObjectKind().GroupVersionKind().GroupKind()}
	if m, err := meta.Accessor(obj); err == nil {
		k.Namespace, k.Name = m.GetNamespace(), m.GetName()
	}
	return k
}

// A State is the set of objects of a cluster at one moment. The zero value is empty.
//
// Each kind has a tree of its own. Code that compiles something from the objects of one kind can use [State.Revision]
// to see whether they are still the same.
type State struct {
	kinds   map[schema.GroupKind]objects  // the objects that were written
	initial map[schema.GroupKind]*initial // those that existed before; never changed in place
	writes  int64
	memory  map[string]*any

	recorded *record           // nil: not recorded; see Recording
	absent   func(Object) bool // nil: the state is complete; see Cached
}

// A Revision identifies all objects of one kind. Two states with equal revisions hold the very same objects of that
// kind.
type Revision struct {
	written objects
	initial *initial
}

// New returns the state that holds objs. If two have the same key, the later one wins.
func New(objs ...Object) *State { return (&State{}).With(objs...) }

// With returns the state to which objs are added, replacing objects that have the same keys.
func (s *State) With(objs ...Object) *State {
	next := s.copy()
	for _, o := range objs {
		k := KeyOf(o.Object)
		if next.recorded == nil {
			next.kinds[k.GroupKind] = next.written(k.GroupKind).with(k, o)
			continue
		}
		before, _ := next.find(k)
		next.kinds[k.GroupKind] = next.written(k.GroupKind).with(k, o)
		next.recorded = next.recorded.with(Change{Key: k, Before: before, After: o})
	}
	return next
}

// Without returns the state without the object of that key.
func (s *State) Without(k Key) *State {
	next := s.copy()
	before, existed := next.remove(k)
	if existed {
		next.recorded = next.recorded.with(Change{Key: k, Before: before})
	}
	return next
}

// Cached returns the state as a cache has it that lacks the objects for which absent is true: they are neither found nor
// listed. States derived from it lack them, too.
func (s *State) Cached(absent func(Object) bool) *State {
	if s == nil {
		return nil
	}
	next := *s
	next.absent = absent
	return &next
}

// Live returns the state with the objects that a cache lacks.
func (s *State) Live() *State {
	if s == nil || s.absent == nil {
		return s
	}
	next := *s
	next.absent = nil
	return &next
}

// Find returns the object with that key.
func (s *State) Find(k Key) (Object, bool) {
	if s == nil {
		return Object{}, false
	}
	o, ok := s.find(k)
	if ok && s.absent != nil && s.absent(o) {
		return Object{}, false
	}
	return o, ok
}

// find is Find, whether a cache has the object or not.
func (s *State) find(k Key) (Object, bool) {
	if written := s.kinds[k.GroupKind]; written != nil {
		if o, ok := written.find(k); ok {
			return o, o.Object != nil
		}
	}
	if first := s.initial[k.GroupKind]; first != nil {
		return first.objects().find(k)
	}
	return Object{}, false
}

// Revision returns the revision of the objects of a kind.
func (s *State) Revision(gk schema.GroupKind) Revision {
	if s == nil {
		return Revision{}
	}
	return Revision{s.kinds[gk], s.initial[gk]}
}

// Writes returns how many writes led to this state. It corresponds to the revision in etcd.
func (s *State) Writes() int64 { return s.writes }

// NextVersion returns the resourceVersion for the next write of an object. It differs from before, the current
// resourceVersion of the object.
func (s *State) NextVersion(before string) string {
	old, _ := strconv.ParseInt(before, 10, 64)
	return strconv.FormatInt(max(old, s.writes)+1, 10)
}

// Memory returns what the plugin of that name remembers; at first nil. This is not an object of the cluster but part of
// its state: consecutive requests share it, and requests that start from the same state do not affect each other's.
func (s *State) Memory(plugin string) any {
	if memory := s.memory[plugin]; memory != nil {
		return *memory
	}
	return nil
}

// Remembering returns the state in which a plugin remembers memory, which must not be changed afterwards.
func (s *State) Remembering(plugin string, memory any) *State {
	next := s.copy()
	next.memory = maps.Clone(next.memory)
	if next.memory == nil {
		next.memory = map[string]*any{}
	}
	next.memory[plugin] = &memory
	return next
}

// List returns the objects of a kind in the order of their keys in etcd, namespace/name. If namespace is not empty,
// it returns only the objects in it.
func (s *State) List(gk schema.GroupKind, namespace string) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		if s == nil {
			return
		}
		yield = s.present(yield)
		if s.initial[gk] != nil {
			s.listWithInitial(gk, namespace, yield)
			return
		}
		if s.kinds[gk] == nil {
			return // most kinds have no objects in most clusters
		}
		it := s.kinds[gk].in(namespace)
		for _, o, ok := it.Next(); ok; _, o, ok = it.Next() {
			if !yield(o) {
				return
			}
		}
	}
}

// present returns yield for the objects that a cache has.
func (s *State) present(yield func(Object) bool) func(Object) bool {
	if s.absent == nil {
		return yield
	}
	return func(o Object) bool { return s.absent(o) || yield(o) }
}

// All returns every object, sorted by group and kind, then in the order of List.
func (s *State) All() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for _, gk := range s.groupKinds() {
			for o := range s.List(gk, "") {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// Get returns an object as its Go type. An object of another type counts as missing.
func Get[T runtime.Object](s *State, gk schema.GroupKind, namespace, name string) (T, bool) {
	o, _ := s.Find(Key{GroupKind: gk, Namespace: namespace, Name: name})
	t, ok := o.Object.(T)
	return t, ok
}

func (s *State) groupKinds() []schema.GroupKind {
	all := map[schema.GroupKind]bool{}
	for gk := range s.kinds {
		all[gk] = true
	}
	for gk := range s.initial {
		all[gk] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b schema.GroupKind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind))
	})
}

func (s *State) copy() *State {
	next := &State{kinds: map[schema.GroupKind]objects{}}
	if s != nil {
		maps.Copy(next.kinds, s.kinds)
		next.initial = s.initial
		next.writes = s.writes + 1
		next.memory = s.memory
		next.recorded = s.recorded
		next.absent = s.absent
	}
	return next
}

// remove removes an object in place, from a state that is not shared yet. Whether an initial object
// existed is looked up only if the state is recorded.
func (s *State) remove(k Key) (before Object, existed bool) {
	written := s.written(k.GroupKind)
	if s.initial[k.GroupKind] == nil {
		s.kinds[k.GroupKind], before, existed = written.without(k)
		return before, existed
	}
	if s.recorded != nil {
		before, existed = s.find(k)
	}
	s.kinds[k.GroupKind] = written.with(k, gone)
	return before, existed
}

func (s *State) written(gk schema.GroupKind) objects {
	if s != nil {
		if written, ok := s.kinds[gk]; ok {
			return written
		}
	}
	return newObjects(nil)
}
