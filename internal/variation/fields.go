package variation

import (
	"slices"

	"github.com/admsim/admsim/internal/space/edges"
)

// Limits of the list of fields.
const (
	mostFields   = 250
	deepestField = 4
)

// Fields returns places in objects of the shape, those with few steps first.
func (s Shape) Fields() (all []edges.Place) {
	type node struct {
		place edges.Place
		shape Shape
	}
	level := []node{{edges.Place{Root: "object"}, s}}
	for range deepestField {
		var next []node
		for _, n := range level {
			of := n.shape
			steps := slices.Clone(n.place.Steps)
			if of.is == aList {
				of, steps = of.then(edges.Element), append(steps, edges.Element)
			}
			if of.is != aStruct {
				continue
			}
			for _, f := range of.fields() {
				if f.shape.is == nothing || len(steps) == 0 && (f.name == "apiVersion" || f.name == "kind" || f.name == "metadata" || f.name == "status") {
					continue
				}
				place := edges.Place{Root: "object", Steps: append(slices.Clone(steps), f.name)}
				next = append(next, node{place, f.shape})
				all = append(all, place)
			}
		}
		level = next
	}
	return all[:min(len(all), mostFields)]
}
