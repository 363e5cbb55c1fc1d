package cluster

import iradix "github.com/hashicorp/go-immutable-radix/v2"

// objects are the objects of one kind. They are never changed: each write returns others. Two are equal if no write lies
// between them.
//
// This is an interface for the sake of compile times. Go compiles the methods of a generic type again in every package
// that sees a field of this type: with the tree itself in [State], 900 functions in each of 90 packages.
type objects interface {
	find(k Key) (Object, bool)
	with(k Key, o Object) objects
	without(k Key) (_ objects, before Object, existed bool)
	// in returns an iterator over the objects in a namespace, or over all.
	in(namespace string) iterator
}

// An iterator returns one object after the other, with a path that sorts them. At the end, ok is false.
type iterator interface {
	Next() (path []byte, o Object, ok bool)
}

type tree struct{ *iradix.Tree[Object] }

func newObjects(list []Object) objects {
	txn := iradix.New[Object]().Txn()
	for _, o := range list {
		txn.Insert(KeyOf(o.Object).path(), o)
	}
	return tree{txn.Commit()}
}

func (t tree) find(k Key) (Object, bool) { return t.Get(k.path()) }

func (t tree) with(k Key, o Object) objects {
	next, _, _ := t.Insert(k.path(), o)
	return tree{next}
}

func (t tree) without(k Key) (_ objects, before Object, existed bool) {
	next, before, existed := t.Delete(k.path())
	return tree{next}, before, existed
}

func (t tree) in(namespace string) iterator {
	it := t.Root().Iterator()
	if namespace != "" {
		it.SeekPrefix([]byte(namespace + separator))
	}
	return it
}

// separator follows the namespace in a path. It begins with the slash of etcd's keys, which puts shop-2/a before
// shop/a, and ends with a byte that no name contains.
const separator = "/\x00"

// path returns a key that sorts the objects of a kind by namespace and name, byte by byte, as etcd does.
func (k Key) path() []byte { return []byte(k.Namespace + separator + k.Name) }
