// Package memo has a concurrent map for values that are made when they are first needed.
package memo

import "sync"

// A Map is a [sync.Map] that hardly costs time to compile. Its zero value is empty.
//
// Go compiles the methods of a generic type again in every package that sees a field of this type, and a sync.Map is
// made of such types: 160 functions in each of 90 packages. The compiler does not look into a value of type any, nor into a
// function that is not inlined. Through an interface with methods, every look-up would allocate its key.
type Map struct {
	once sync.Once
	m    any // a *sync.Map
}

func of(m *Map) *sync.Map {
	m.once.Do(func() { m.m = new(sync.Map) })
	return m.m.(*sync.Map)
}

//go:noinline
func (m *Map) Load(key any) (value any, ok bool) { return of(m).Load(key) }

//go:noinline
func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	return of(m).LoadOrStore(key, value)
}

//go:noinline
func (m *Map) Store(key, value any) { of(m).Store(key, value) }

//go:noinline
func (m *Map) Range(f func(key, value any) bool) { of(m).Range(f) }
