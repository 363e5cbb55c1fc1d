package variation

import (
	"slices"

	"github.com/admsim/admsim/internal/space/edges"
)

// WithAlike returns variations, and the same variations for similar places in other lists: whoever forgets the
// initContainers of a pod does not mention them.
func WithAlike(all []edges.Variation, s Shape) []edges.Variation {
	known := map[string]bool{}
	for _, v := range all {
		known[v.Place.String()] = true
	}
	with := slices.Clone(all)
	for _, v := range all {
		for _, place := range s.alike(v.Place) {
			if key := place.String(); !known[key] {
				known[key] = true
				with = append(with, edges.Variation{Place: place, Values: v.Values})
			}
		}
	}
	return with
}

// alike returns the places to which the same steps lead through another list of the same struct, if the elements of
// both lists are alike.
func (s Shape) alike(p edges.Place) (all []edges.Place) {
	if p.Root != "object" {
		return nil
	}
	for i, step := range p.Steps {
		if s.is == aStruct && i+1 < len(p.Steps) && p.Steps[i+1] == edges.Element {
			of := s.field(step).then(edges.Element)
			for _, f := range s.fields() {
				if f.name == step || f.shape.is != aList || !of.isLike(f.shape.then(edges.Element)) {
					continue
				}
				steps := slices.Clone(p.Steps)
				steps[i] = f.name
				all = append(all, edges.Place{Root: p.Root, Steps: steps})
			}
		}
		s = s.then(step)
	}
	return all
}

// fewestAlike is the minimum number of fields that two structs must share to count as alike.
const fewestAlike = 3

// isLike reports whether two structs have nearly the same fields.
func (s Shape) isLike(other Shape) bool {
	if s.is != aStruct || other.is != aStruct {
		return false
	}
	mine, others := s.fields(), other.fields()
	common := 0
	for _, f := range mine {
		if slices.ContainsFunc(others, func(o field) bool { return o.name == f.name && o.shape.is == f.shape.is }) {
			common++
		}
	}
	return common >= fewestAlike && 5*common >= 4*max(len(mine), len(others))
}
