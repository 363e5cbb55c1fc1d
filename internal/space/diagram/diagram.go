// Package diagram represents sets of points by decision diagrams. A point has one value for each variable, and a
// variable has a few values; a set tests one variable after the other, in a fixed order. Equal sets are the same [Set],
// however they were made, so two sets are compared by comparing two numbers.
//
// Start with [New] and [Diagrams.Variable]. [Diagrams.Among] is the set of the points with certain values of one
// variable; [Diagrams.And], [Diagrams.Or] and [Diagrams.Minus] combine sets. [Diagrams.Products] writes a set as a
// short list for people, [Diagrams.Point] picks one of its points.
//
// The package does not know what variables mean.
package diagram

import (
	"errors"
	"slices"
)

// A Set is a set of points. It belongs to the [Diagrams] that made it.
type Set int32

// The sets without any point, and with all points.
const (
	None Set = 0
	All  Set = 1
)

// A Variable is identified by its position in the order of the variables.
type Variable int32

// Diagrams holds sets over its variables. It only ever grows. It must not be used by several goroutines at once.
type Diagrams struct {
	values []int // of each variable
	nodes  []node
	known  map[uint64]Set   // by hash, the first set with that hash
	next   []Set            // the next set with the same hash
	done   map[question]Set // results of earlier operations
	limit  int
}

// A node tests one variable; sets has the set of the remaining points for each value.
type node struct {
	variable Variable
	sets     []Set
}

// last is the variable of sets that test nothing.
const last Variable = 1<<31 - 1

type operation uint8

const (
	and operation = iota
	or
	minus
)

type question struct {
	operation operation
	a, b      Set
}

// New returns diagrams without variables.
func New() *Diagrams {
	return &Diagrams{
		nodes: []node{{variable: last}, {variable: last}},
		next:  []Set{None, None},
		known: map[uint64]Set{},
		done:  map[question]Set{},
	}
}

// errTooLarge is the error of [Diagrams.Within].
var errTooLarge = errors.New("the set is too large to be written down")

// tooLarge is panicked with at the limit, to leave the recursion.
type tooLarge struct{}

// Within calls do, which may create the given number of nodes. If it would create more, it is stopped with
// [errTooLarge].
func (d *Diagrams) Within(nodes int, do func()) (err error) {
	before := d.limit
	d.limit = len(d.nodes) + nodes
	defer func() {
		d.limit = before
		if r := recover(); r != nil {
			if _, ours := r.(tooLarge); !ours {
				panic(r)
			}
			err = errTooLarge
		}
	}()
	do()
	return nil
}

// Variable adds a variable with so many values, after all others in the order.
func (d *Diagrams) Variable(values int) Variable {
	d.values = append(d.values, values)
	return Variable(len(d.values) - 1)
}

// Values returns how many values a variable has.
func (d *Diagrams) Values(v Variable) int { return d.values[v] }

// Size returns the number of nodes of all sets together.
func (d *Diagrams) Size() int { return len(d.nodes) }

// Among returns the set of all points with one of these values of a variable.
func (d *Diagrams) Among(v Variable, values ...int) Set {
	sets := make([]Set, d.values[v])
	for _, value := range values {
		sets[value] = All
	}
	return d.node(v, sets)
}

// Choose returns the set whose points with a given value of v are those of the set that of returns for the value. These
// sets must only test variables after v.
func (d *Diagrams) Choose(v Variable, of func(value int) Set) Set {
	sets := make([]Set, d.values[v])
	for value := range sets {
		sets[value] = of(value)
	}
	return d.node(v, sets)
}

// node returns the unique set for a variable and the sets of its values. It keeps sets.
func (d *Diagrams) node(v Variable, sets []Set) Set {
	same := true
	for _, s := range sets[1:] {
		same = same && s == sets[0]
	}
	if same {
		return sets[0]
	}
	h := hash(v, sets)
	first := d.known[h]
	for s := first; s != None; s = d.next[s] {
		if n := &d.nodes[s]; n.variable == v && slices.Equal(n.sets, sets) {
			return s
		}
	}
	if d.limit > 0 && len(d.nodes) >= d.limit {
		panic(tooLarge{})
	}
	s := Set(len(d.nodes))
	d.nodes, d.next = append(d.nodes, node{v, sets}), append(d.next, first)
	d.known[h] = s
	return s
}

// hash is FNV-1a.
func hash(v Variable, sets []Set) uint64 {
	h := (14695981039346656037 ^ uint64(v)) * 1099511628211
	for _, s := range sets {
		h = (h ^ uint64(s)) * 1099511628211
	}
	return h
}

// And returns the set of the points that are in all of these sets.
func (d *Diagrams) And(sets ...Set) Set {
	result := All
	for _, s := range sets {
		result = d.apply(and, result, s)
	}
	return result
}

// Or returns the set of the points that are in at least one of these sets.
func (d *Diagrams) Or(sets ...Set) Set {
	result := None
	for _, s := range sets {
		result = d.apply(or, result, s)
	}
	return result
}

// Minus returns the set of the points of a that are not in b.
func (d *Diagrams) Minus(a, b Set) Set { return d.apply(minus, a, b) }

// Not returns the set of the points that are not in a.
func (d *Diagrams) Not(a Set) Set { return d.apply(minus, All, a) }

func (d *Diagrams) apply(o operation, a, b Set) Set {
	switch {
	case a == b:
		if o == minus {
			return None
		}
		return a
	case o == and && (a == None || b == None), o == minus && (a == None || b == All):
		return None
	case o == or && (a == All || b == All):
		return All
	case b == None, o == and && b == All:
		return a
	case o == and && a == All, o == or && a == None:
		return b
	}
	if o != minus && a > b {
		a, b = b, a
	}
	q := question{o, a, b}
	if s, ok := d.done[q]; ok {
		return s
	}
	v := min(d.nodes[a].variable, d.nodes[b].variable)
	sets := make([]Set, d.values[v])
	for value := range sets {
		sets[value] = d.apply(o, d.at(a, v, value), d.at(b, v, value))
	}
	s := d.node(v, sets)
	d.done[q] = s
	return s
}

// at returns what remains of a set at a value of v, which must not come after the first variable that the set tests.
func (d *Diagrams) at(s Set, v Variable, value int) Set {
	if n := &d.nodes[s]; n.variable == v {
		return n.sets[value]
	}
	return s
}

// At returns the set of the points that are in s if they have this value of v, which must not come after another
// variable that s tests.
func (d *Diagrams) At(s Set, v Variable, value int) Set { return d.at(s, v, value) }

// Given returns the set of the points that are in s if they have the values that known returns for some variables.
func (d *Diagrams) Given(s Set, known func(Variable) (value int, ok bool)) Set {
	return d.changed(s, func(n *node, sets []Set) Set {
		if value, ok := known(n.variable); ok {
			return sets[value]
		}
		return d.node(n.variable, sets)
	})
}

// Renamed returns s with other variables. These must have as many values and be in the same order.
func (d *Diagrams) Renamed(s Set, to func(Variable) Variable) Set {
	return d.changed(s, func(n *node, sets []Set) Set { return d.node(to(n.variable), sets) })
}

// changed rebuilds each node of s; the sets passed to rebuild are the rebuilt sets of the node.
func (d *Diagrams) changed(s Set, rebuild func(n *node, sets []Set) Set) Set {
	done := map[Set]Set{None: None, All: All}
	var change func(Set) Set
	change = func(s Set) Set {
		if known, ok := done[s]; ok {
			return known
		}
		n := d.nodes[s]
		sets := make([]Set, len(n.sets))
		for i, one := range n.sets {
			sets[i] = change(one)
		}
		done[s] = rebuild(&n, sets)
		return done[s]
	}
	return change(s)
}

// Has reports whether a point is in a set. value returns the point's value of a variable.
func (d *Diagrams) Has(s Set, value func(Variable) int) bool {
	for s > All {
		n := &d.nodes[s]
		s = n.sets[value(n.variable)]
	}
	return s == All
}

// Point calls set with the values of one point of s, which must not be empty. It does so only for variables that
// matter, in their order. If several values are possible, it takes the first.
func (d *Diagrams) Point(s Set, set func(Variable, int)) {
	for s > All {
		n := &d.nodes[s]
		value := slices.IndexFunc(n.sets, func(s Set) bool { return s != None })
		set(n.variable, value)
		s = n.sets[value]
	}
}

// Variables returns the variables that matter to a set, in their order.
func (d *Diagrams) Variables(s Set) []Variable {
	seen, found := map[Set]bool{}, map[Variable]bool{}
	var visit func(Set)
	visit = func(s Set) {
		if s <= All || seen[s] {
			return
		}
		seen[s], found[d.nodes[s].variable] = true, true
		for _, next := range d.nodes[s].sets {
			visit(next)
		}
	}
	visit(s)
	all := make([]Variable, 0, len(found))
	for v := range found {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

// Nearest returns the point of s that differs least from another point. cost returns the cost of having a value of a
// variable instead of the other point's value, 0 if it is the same. Only values with a cost are returned. ok is false
// if s is empty.
func (d *Diagrams) Nearest(s Set, cost func(v Variable, value int) int) (values map[Variable]int, ok bool) {
	const never = 1 << 30
	type best struct{ cost, value int }
	known := map[Set]best{}
	var visit func(Set) int
	visit = func(s Set) int {
		switch s {
		case None:
			return never
		case All:
			return 0
		}
		if b, ok := known[s]; ok {
			return b.cost
		}
		n, b := d.nodes[s], best{never, 0}
		for value, next := range n.sets {
			if total := visit(next) + cost(n.variable, value); total < b.cost {
				b = best{total, value}
			}
		}
		known[s] = b
		return b.cost
	}
	if visit(s) >= never {
		return nil, false
	}
	values = map[Variable]int{}
	for s > All {
		n, value := d.nodes[s], known[s].value
		if cost(n.variable, value) > 0 {
			values[n.variable] = value
		}
		s = n.sets[value]
	}
	return values, true
}
