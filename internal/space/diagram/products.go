package diagram

import "slices"

// A Product is the set of the points that have one of certain values for each of some variables.
type Product []Factor

// A Factor is the condition of a [Product] on one variable. Values are sorted.
type Factor struct {
	Variable Variable
	Values   []int
}

// Products writes a set as a union of products, none of which can be left out. They may overlap, which keeps them
// short: each product has as few and as weak conditions as possible. If there are more products than most (0: any
// number), ok is false.
//
// This is the algorithm of Minato and Morreale for irredundant sums of products, for variables with several values.
func (d *Diagrams) Products(s Set, most int) (all []Product, ok bool) {
	c := &covering{Diagrams: d, most: most, known: map[[2]Set]cover{}}
	write := func() {
		if all = c.cover(s, s).products; !c.over {
			all = d.needed(all)
		}
	}
	if most == 0 {
		write()
		return all, true
	}
	err := d.Within(100_000+100*most, write) // intermediate sets are limited as well
	return all, err == nil && !c.over
}

// needed removes products whose points are all in the others, starting with those with the most conditions. Widening a
// product to further values can make such products.
func (d *Diagrams) needed(all []Product) []Product {
	order := make([]int, len(all))
	for i, p := range all {
		slices.Reverse(p) // they were built from the last variable on
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(all[b]) - len(all[a]) })
	sets, behind := make([]Set, len(all)), make([]Set, len(all)+1)
	for i := len(order) - 1; i >= 0; i-- {
		sets[i] = d.Product(all[order[i]])
		behind[i] = d.Or(sets[i], behind[i+1])
	}
	kept, keep := None, make([]bool, len(all))
	for i, at := range order {
		if keep[at] = d.Minus(sets[i], d.Or(kept, behind[i+1])) != None; keep[at] {
			kept = d.Or(kept, sets[i])
		}
	}
	var needed []Product
	for i, p := range all {
		if keep[i] {
			needed = append(needed, p)
		}
	}
	return needed
}

// Product returns the set of the points of a product.
func (d *Diagrams) Product(p Product) Set {
	s := All
	for i := len(p) - 1; i >= 0; i-- {
		s = d.And(d.Among(p[i].Variable, p[i].Values...), s)
	}
	return s
}

type covering struct {
	*Diagrams
	most  int
	over  bool // there are more products
	known map[[2]Set]cover
}

// A cover is a list of products, their factors from the last variable on, and their union.
type cover struct {
	products []Product
	set      Set
}

// cover returns products that contain all points of need, and only points of may, which contains need.
func (c *covering) cover(need, may Set) cover {
	switch {
	case need == None || c.over:
		return cover{set: None}
	case may == All:
		return cover{[]Product{nil}, All}
	}
	if known, ok := c.known[[2]Set{need, may}]; ok {
		return known
	}
	v := min(c.nodes[need].variable, c.nodes[may].variable)
	n := c.values[v]
	needs, mays := make([]Set, n), make([]Set, n)
	always := All // the points that are allowed at any value
	for i := range n {
		needs[i], mays[i] = c.at(need, v, i), c.at(may, v, i)
		always = c.And(always, mays[i])
	}
	var made cover
	sets := make([]Set, n)
	for i := range n {
		rest := c.Minus(needs[i], c.Or(always, sets[i]))
		if rest == None {
			continue
		}
		part := c.cover(rest, mays[i])
		var values []int
		for j := range n {
			if c.Minus(part.set, mays[j]) == None { // the same products are allowed there as well
				values = append(values, j)
				sets[j] = c.Or(sets[j], part.set)
			}
		}
		for _, p := range part.products {
			made.products = append(made.products, append(slices.Clone(p), Factor{v, values}))
		}
	}
	left := None
	for i := range n {
		left = c.Or(left, c.Minus(needs[i], sets[i]))
	}
	anywhere := c.cover(left, always)
	made.products = append(made.products, anywhere.products...)
	made.set = c.Or(c.node(v, sets), anywhere.set)
	if c.most > 0 && len(made.products) > c.most {
		c.over = true
	}
	c.known[[2]Set{need, may}] = made
	return made
}
