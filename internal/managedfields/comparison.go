package managedfields

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A comparison is the changes between two objects as sets of fields.
type comparison struct {
	path                  fieldpath.Path
	lost, gained, changed trail
}

func newComparison() *comparison {
	return &comparison{lost: trail{fieldpath.NewSet()}, gained: trail{fieldpath.NewSet()}, changed: trail{fieldpath.NewSet()}}
}

// sets is the comparison as the library has it.
func (c *comparison) sets() *typed.Comparison {
	return &typed.Comparison{Removed: c.lost[0], Modified: c.changed[0], Added: c.gained[0]}
}

func (c *comparison) enter(e fieldpath.PathElement) { c.path = append(c.path, e) }

func (c *comparison) leave() {
	c.path = c.path[:len(c.path)-1]
	c.lost.back(len(c.path))
	c.gained.back(len(c.path))
	c.changed.back(len(c.path))
}

func (c *comparison) removed()  { c.lost.insert(c.path) }
func (c *comparison) added()    { c.gained.insert(c.path) }
func (c *comparison) modified() { c.changed.insert(c.path) }

// A trail is the sets on the way down to where a comparison is, as far as something was
// inserted there: the whole one first, then that of the path's first element, and so on. It
// saves looking for the place of each field from the top.
type trail []*fieldpath.Set

func (t *trail) insert(path fieldpath.Path) {
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
