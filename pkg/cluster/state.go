// Package cluster holds the objects that exist before a request, as an immutable [State]:
// [State.With] and [State.Without] give the next one and leave the old one as it is, at a
// cost that hardly grows with the number of objects.
//
// Objects are kept in the version in which the server stores them. The package does not
// know requests, and does not check what it is given.
package cluster

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"

	iradix "github.com/hashicorp/go-immutable-radix/v2"
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

// An Object is an object of the cluster and where the user wrote it, as file:line; Source
// is empty for those that a request or the server itself made.
type Object struct {
	runtime.Object
	// Written is what the storage has of the object, where reading that gives another one, with
	// defaults or without unknown fields; nil where it is the same.
	Written runtime.Object
	// Tracked says that a request wrote the object, so that it has all managedFields there are.
	Tracked bool
	Source  string
	Places  Places // nil: only the whole object has a place
}

// Places tell where the parts of an object were written.
type Places interface {
	// Place is the source of a field, in the form of the API server's errors.
	Place(path string) string
}

// PlaceOf is the source of a field of the object, or of the whole where that is not known.
func (o Object) PlaceOf(path string) string {
	if o.Places == nil {
		return o.Source
	}
	return o.Places.Place(path)
}

// Replaced is what is kept in the place of o once somebody wrote to it.
func (o Object) Replaced(by runtime.Object) Object {
	o.Object, o.Written = by, nil
	return o
}

// Stored is what the storage has of the object.
func (o Object) Stored() runtime.Object {
	if o.Written != nil {
		return o.Written
	}
	return o.Object
}

// KeyOf returns the key of obj, which must have its kind set and have metadata.
func KeyOf(obj runtime.Object) Key {
	k := Key{GroupKind: obj.GetObjectKind().GroupVersionKind().GroupKind()}
	if m, err := meta.Accessor(obj); err == nil {
		k.Namespace, k.Name = m.GetNamespace(), m.GetName()
	}
	return k
}

// A State is the set of objects of a cluster at one moment. The zero value is empty.
//
// Each kind has a tree of its own, so that whoever compiles something out of the objects
// of one kind can tell by [State.Revision] that they are still the same.
type State struct {
	kinds   map[schema.GroupKind]*iradix.Tree[Object] // what was written
	initial map[schema.GroupKind]*initial             // what was there before; never changed in place
	writes  int64
	memory  map[string]*any

	recorded *record // nil: nobody asked, see Recording
}

// A Revision stands for all objects of one kind: two states in which it is equal hold the
// very same ones.
type Revision struct {
	tree    *iradix.Tree[Object]
	initial *initial
}

// New returns the state that holds objs. Of two with the same key the later one stays.
func New(objs ...Object) *State { return (&State{}).With(objs...) }

// With returns the state in which objs exist, instead of what had their keys before.
func (s *State) With(objs ...Object) *State {
	next := s.copy()
	for _, o := range objs {
		k := KeyOf(o.Object)
		if next.recorded == nil {
			next.kinds[k.GroupKind], _, _ = next.tree(k.GroupKind).Insert(k.path(), o)
			continue
		}
		before, _ := next.Find(k)
		next.kinds[k.GroupKind], _, _ = next.tree(k.GroupKind).Insert(k.path(), o)
		next.recorded = next.recorded.with(Change{Key: k, Before: before, After: o})
	}
	return next
}

// Without returns the state in which there is nothing of that key.
func (s *State) Without(k Key) *State {
	next := s.copy()
	before, existed := next.remove(k)
	if existed {
		next.recorded = next.recorded.with(Change{Key: k, Before: before})
	}
	return next
}

// Find returns the object of that key.
func (s *State) Find(k Key) (Object, bool) {
	if s == nil {
		return Object{}, false
	}
	if written := s.kinds[k.GroupKind]; written != nil {
		if o, ok := written.Get(k.path()); ok {
			return o, o.Object != nil
		}
	}
	if first := s.initial[k.GroupKind]; first != nil {
		return first.tree().Get(k.path())
	}
	return Object{}, false
}

// Revision returns what the objects of a kind are compared by.
func (s *State) Revision(gk schema.GroupKind) Revision {
	if s == nil {
		return Revision{}
	}
	return Revision{s.kinds[gk], s.initial[gk]}
}

// Writes is how many writes led to this state. It stands for the revision of the store.
func (s *State) Writes() int64 { return s.writes }

// NextVersion is a resourceVersion for an object that is written into the state, and that
// it did not have before.
func (s *State) NextVersion(before string) string {
	old, _ := strconv.ParseInt(before, 10, 64)
	return strconv.FormatInt(max(old, s.writes)+1, 10)
}

// Memory is what the server's plugin of that name remembers, nil at first. It is no object
// of the cluster, but belongs to its state: requests that follow each other share it, and
// those that start from the same state do not.
func (s *State) Memory(plugin string) any {
	if memory := s.memory[plugin]; memory != nil {
		return *memory
	}
	return nil
}

// Remembering returns the state in which a plugin remembers something else. Like an object
// it must not change any more.
func (s *State) Remembering(plugin string, memory any) *State {
	next := s.copy()
	next.memory = maps.Clone(next.memory)
	if next.memory == nil {
		next.memory = map[string]*any{}
	}
	next.memory[plugin] = &memory
	return next
}

// List returns the objects of a kind by namespace and name; with a namespace given, those
// in it only.
func (s *State) List(gk schema.GroupKind, namespace string) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		if s == nil {
			return
		}
		if s.initial[gk] != nil {
			s.listWithInitial(gk, namespace, yield)
			return
		}
		if s.kinds[gk] == nil {
			return // most kinds have no objects in most clusters
		}
		it := iterator(s.kinds[gk], namespace)
		for _, o, ok := it.Next(); ok; _, o, ok = it.Next() {
			if !yield(o) {
				return
			}
		}
	}
}

// iterator goes through the objects of a tree, or of one namespace in it.
func iterator(tree *iradix.Tree[Object], namespace string) *iradix.Iterator[Object] {
	it := tree.Root().Iterator()
	if namespace != "" {
		it.SeekPrefix([]byte(namespace + "\x00"))
	}
	return it
}

// All returns every object, by group, kind, namespace and name.
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

// Get returns the object of that kind and name as its Go type. An object of another type
// under that key counts as missing.
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
	next := &State{kinds: map[schema.GroupKind]*iradix.Tree[Object]{}}
	if s != nil {
		maps.Copy(next.kinds, s.kinds)
		next.initial = s.initial
		next.writes = s.writes + 1
		next.memory = s.memory
		next.recorded = s.recorded
	}
	return next
}

// remove takes an object out of a state that nobody else has yet. Whether an initial object was
// there is only found out where somebody records it.
func (s *State) remove(k Key) (before Object, existed bool) {
	tree := s.tree(k.GroupKind)
	if s.initial[k.GroupKind] == nil {
		s.kinds[k.GroupKind], before, existed = tree.Delete(k.path())
		return before, existed
	}
	if s.recorded != nil {
		before, existed = s.Find(k)
	}
	s.kinds[k.GroupKind], _, _ = tree.Insert(k.path(), gone)
	return before, existed
}

func (s *State) tree(gk schema.GroupKind) *iradix.Tree[Object] {
	if s != nil {
		if t, ok := s.kinds[gk]; ok {
			return t
		}
	}
	return iradix.New[Object]()
}

// path orders the objects of a kind by namespace and name, byte by byte.
func (k Key) path() []byte { return []byte(k.Namespace + "\x00" + k.Name) }
