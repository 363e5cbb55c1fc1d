// Package cluster holds the objects that exist before a request, as an immutable [State]:
// [State.With] and [State.Without] give the next one and leave the old one as it is, at a
// cost that does not grow with the number of objects.
//
// Objects are kept in the version in which the server stores them. The package does not
// know requests, and does not check what it is given.
package cluster

import (
	"iter"

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
	Source string
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
type State struct {
	tree *iradix.Tree[Object]
}

// New returns the state that holds objs. Of two with the same key the later one stays.
func New(objs ...Object) *State {
	t := iradix.New[Object]().Txn()
	for _, o := range objs {
		t.Insert(KeyOf(o.Object).bytes(), o)
	}
	return &State{tree: t.Commit()}
}

// With returns the state in which o exists, instead of what had its key before.
func (s *State) With(o Object) *State {
	t, _, _ := s.root().Insert(KeyOf(o.Object).bytes(), o)
	return &State{tree: t}
}

// Without returns the state in which there is nothing of that key.
func (s *State) Without(k Key) *State {
	t, _, _ := s.root().Delete(k.bytes())
	return &State{tree: t}
}

// Find returns the object of that key.
func (s *State) Find(k Key) (Object, bool) {
	return s.root().Get(k.bytes())
}

// Len is the number of objects.
func (s *State) Len() int { return s.root().Len() }

// List returns the objects of a kind by namespace and name; with a namespace given, those
// in it only.
func (s *State) List(gk schema.GroupKind, namespace string) iter.Seq[Object] {
	prefix := gk.Group + "\x00" + gk.Kind + "\x00"
	if namespace != "" {
		prefix += namespace + "\x00"
	}
	return s.under(prefix)
}

// All returns every object, by group, kind, namespace and name.
func (s *State) All() iter.Seq[Object] { return s.under("") }

// Get returns the object of that kind and name as its Go type. An object of another type
// under that key counts as missing.
func Get[T runtime.Object](s *State, gk schema.GroupKind, namespace, name string) (T, bool) {
	o, _ := s.Find(Key{GroupKind: gk, Namespace: namespace, Name: name})
	t, ok := o.Object.(T)
	return t, ok
}

func (s *State) under(prefix string) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		it := s.root().Root().Iterator()
		it.SeekPrefix([]byte(prefix))
		for _, o, ok := it.Next(); ok; _, o, ok = it.Next() {
			if !yield(o) {
				return
			}
		}
	}
}

func (s *State) root() *iradix.Tree[Object] {
	if s == nil || s.tree == nil {
		return iradix.New[Object]()
	}
	return s.tree
}

// bytes orders keys by group, kind, namespace and name, byte by byte.
func (k Key) bytes() []byte {
	return []byte(k.Group + "\x00" + k.Kind + "\x00" + k.Namespace + "\x00" + k.Name)
}
