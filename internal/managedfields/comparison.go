package managedfields

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A comparison holds the changes between two objects as sets of fields.
type comparison struct {
	path                  fieldpath.Path
	lost, gained, changed trail
}

func newComparison() *comparison {
	return &comparison{lost: trail{fieldpath.NewSet()}, gained: trail{fieldpath.NewSet()}, changed: trail{fieldpath.NewSet()}}
}

// sets returns the comparison in the library's type.
func (c *comparison) sets() *typed.Comparison {
	return &typed.Comparison{Removed: c.lost[0], Modified: c.changed[0], Added: c.gained[0]}
}

func (c *comparison) enter(e fieldpath.PathElement) { c.path = append(c.path, e) }

func (c *comparison) leave() {
	c.path = c.path[:len(c.path)-1]
	c.lost.truncate(len(c.path))
	c.gained.truncate(len(c.path))
	c.changed.truncate(len(c.path))
}

func (c *comparison) removed()  { c.lost.insert(c.path) }
func (c *comparison) added()    { c.gained.insert(c.path) }
func (c *comparison) modified() { c.changed.insert(c.path) }

// A trail holds the sets on the way down to the current path of a comparison, as far as something was inserted there:
// first the whole set, then the subset of the path's first element, and so on. It saves looking up each field from the
// top.
type trail []*fieldpath.Set

func (t *trail) insert(path fieldpath.Path) {
	for len(*t) < len(path) {
		*t = append(*t, (*t)[len(*t)-1].Children.Descend(path[len(*t)-1]))
	}
	(*t)[len(path)-1].Members.Insert(path[len(path)-1])
}

// truncate drops the sets that are deeper than a path of that length.
func (t *trail) truncate(length int) {
	if len(*t) > length+1 {
		*t = (*t)[:length+1]
	}
}
