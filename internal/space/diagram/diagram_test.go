package diagram

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A world is a few variables, and sets over them that are also listed point by point.
type world struct {
	*Diagrams
	points [][]int
}

func newWorld(r *rand.Rand) *world {
	w := &world{Diagrams: New(), points: [][]int{nil}}
	for range 1 + r.IntN(5) {
		n := 2 + r.IntN(3)
		w.Variable(n)
		var longer [][]int
		for _, p := range w.points {
			for value := range n {
				longer = append(longer, append(slices.Clone(p), value))
			}
		}
		w.points = longer
	}
	return w
}

func (w *world) list(s Set) []bool {
	all := make([]bool, len(w.points))
	for i, p := range w.points {
		all[i] = w.Has(s, func(v Variable) int { return p[v] })
	}
	return all
}

func (w *world) random(r *rand.Rand, depth int) (Set, []bool) {
	list := make([]bool, len(w.points))
	if depth == 0 || r.IntN(8) == 0 {
		v := Variable(r.IntN(len(w.values)))
		var values []int
		for value := range w.Values(v) {
			if r.IntN(2) == 0 {
				values = append(values, value)
			}
		}
		for i, p := range w.points {
			list[i] = slices.Contains(values, p[v])
		}
		return w.Among(v, values...), list
	}
	a, inA := w.random(r, depth-1)
	b, inB := w.random(r, depth-1)
	o := r.IntN(4)
	for i := range list {
		list[i] = []bool{inA[i] && inB[i], inA[i] || inB[i], inA[i] && !inB[i], !inA[i]}[o]
	}
	return []Set{w.And(a, b), w.Or(a, b), w.Minus(a, b), w.Not(a)}[o], list
}

// Every set has the points that it should have, and equal sets are identical.
func TestAgainstLists(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(r)
		seen := map[string]Set{}
		for range 20 {
			s, want := w.random(r, 4)
			if got := w.list(s); !slices.Equal(got, want) {
				t.Fatalf("seed %d: got %v, want %v", seed, got, want)
			}
			key := fmt.Sprint(want)
			if same, ok := seen[key]; ok && same != s {
				t.Fatalf("seed %d: one list of points is both %d and %d", seed, same, s)
			}
			seen[key] = s
			if s != None {
				point := make([]int, len(w.values))
				w.Point(s, func(v Variable, value int) { point[v] = value })
				if !w.Has(s, func(v Variable) int { return point[v] }) {
					t.Fatalf("seed %d: Point chose %v, which is not in the set", seed, point)
				}
			}
		}
	}
}

// The union of the products of a set is that set, and no product can be left out.
func TestProducts(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := newWorld(r)
		for range 5 {
			s, _ := w.random(r, 4)
			products, ok := w.Products(s, 0)
			if !ok {
				t.Fatalf("seed %d: no products without a limit", seed)
			}
			if got := w.union(products, -1); got != s {
				t.Fatalf("seed %d: products %v make another set", seed, products)
			}
			for i := range products {
				if w.union(products, i) == s {
					t.Fatalf("seed %d: product %v of %v is not needed", seed, products[i], products)
				}
			}
		}
	}
}

func (w *world) union(products []Product, without int) Set {
	union := None
	for i, p := range products {
		if i == without {
			continue
		}
		one, before := All, Variable(-1)
		for _, f := range p {
			if f.Variable <= before || len(f.Values) == w.Values(f.Variable) || !slices.IsSorted(f.Values) {
				panic(fmt.Sprintf("factor %v behind variable %d", f, before))
			}
			before = f.Variable
			one = w.And(one, w.Among(f.Variable, f.Values...))
		}
		union = w.Or(union, one)
	}
	return union
}

// Sets that would be too long to read are not written.
func TestProductsLimit(t *testing.T) {
	d := New()
	odd := None
	for range 12 {
		v := d.Variable(2)
		one := d.Among(v, 1)
		odd = d.Or(d.Minus(odd, one), d.Minus(one, odd))
	}
	if _, ok := d.Products(odd, 100); ok {
		t.Error("parity of 12 bits has 2,048 products, want it to be over the limit of 100")
	}
	if all, ok := d.Products(odd, 0); !ok || len(all) != 2048 {
		t.Errorf("got %d products, want 2,048", len(all))
	}
}

func TestWithin(t *testing.T) {
	d := New()
	parity := func(n int) Set {
		odd := None
		for range n {
			one := d.Among(d.Variable(2), 1)
			odd = d.Or(d.Minus(odd, one), d.Minus(one, odd))
		}
		return odd
	}
	if err := d.Within(1000, func() { parity(8) }); err != nil {
		t.Errorf("parity of 8 bits: %v", err)
	}
	if err := d.Within(20, func() { parity(30) }); !errors.Is(err, errTooLarge) {
		t.Errorf("parity of 30 bits in 20 nodes: %v, want %v", err, errTooLarge)
	}
	if err := d.Within(1000, func() { parity(8) }); err != nil {
		t.Errorf("after a limit was met: %v", err)
	}
}
