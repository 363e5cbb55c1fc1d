package edges

import (
	"slices"

	"github.com/admsim/admsim/internal/space/syntax"
)

// A compared place occurs in a comparison.
type compared struct {
	Place
	sized bool // its size is compared
}

// A comparison holds what occurs together in a part of an expression that has no conditions in it.
type comparison struct {
	places    []compared
	literals  []any
	functions []string
}

// comparison reads a part of an expression that compares places of the request with literals, or with each other.
func (r *reader) comparison(x *syntax.Expr, in *scope) {
	if places := r.places(x, in); len(places) > 0 && x.Kind != syntax.Macro { // a condition by itself
		for _, p := range places {
			r.add(p, Value{Literal, true}, Value{Literal, false})
		}
		if is := r.variable(x); is == nil {
			return
		}
	}
	if is := r.variable(x); is != nil {
		r.depth++
		r.condition(is, nil)
		r.depth--
		return
	}
	c := &comparison{}
	if x.Kind == syntax.Call && x.Name == syntax.In && r.membership(x, in) {
		x = x.Args[0]
	}
	r.compare(x, in, c, false)
	values := c.values()
	for _, p := range c.places {
		if p.Root == params {
			continue
		}
		r.affix(p.Place, c)
		if p.sized {
			r.add(p.Place, c.sizes()...)
			continue
		}
		r.add(p.Place, values...)
	}
}

// compare collects what occurs in a comparison.
func (r *reader) compare(x *syntax.Expr, in *scope, c *comparison, sized bool) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxNested {
		return
	}
	if is := r.variable(x); is != nil { // it may be a macro, with conditions in it
		r.compare(is, nil, c, sized)
		return
	}
	if places := r.places(x, in); len(places) > 0 && x.Kind != syntax.Macro {
		for _, p := range places {
			if p.Root == params {
				c.literals = append(c.literals, r.valuesOf(p)...)
				continue
			}
			c.places = append(c.places, compared{p, sized})
		}
		if x.Kind == syntax.Call && x.Name == "orValue" {
			r.compare(x.Args[1], in, c, sized)
		}
		return
	}
	switch x.Kind {
	case syntax.Literal:
		c.literals = append(c.literals, x.Value)
	case syntax.Ident:
		if is, ok := in.lookUp(x.Name); ok {
			if is.expr != nil {
				r.compare(is.expr, is.in, c, sized)
			}
			c.literals = append(c.literals, is.literals...)
		}
	case syntax.List:
		for _, one := range x.Args {
			r.compare(one, in, c, sized)
		}
	case syntax.Has:
		r.condition(x, in)
	case syntax.Macro:
		made := r.macro(x, in)
		for _, p := range made.places {
			if last := len(p.Steps) - 1; sized && p.Steps[last] == Element {
				c.places = append(c.places, compared{Place{p.Root, p.Steps[:last]}, true})
			} else if x.Name == "map" {
				c.places = append(c.places, compared{p, false})
			}
		}
	case syntax.Call:
		switch x.Name {
		case syntax.And, syntax.Or, syntax.Not:
			r.condition(x, in)
			return
		case syntax.If:
			r.condition(x.Args[0], in)
			r.compare(x.Args[1], in, c, sized)
			r.compare(x.Args[2], in, c, sized)
			return
		}
		if made := r.folded(x, in); made != nil {
			c.literals = append(c.literals, made...)
			return
		}
		if !slices.Contains(c.functions, x.Name) && x.Name != "string" {
			c.functions = append(c.functions, x.Name)
		}
		for _, arg := range x.Args {
			r.compare(arg, in, c, sized || x.Name == "size")
		}
	}
}

// operands collects the possible values of an expression.
func (r *reader) operands(x *syntax.Expr, in *scope, o *operand) {
	c := &comparison{}
	r.compare(x, in, c, false)
	for _, p := range c.places {
		o.places = append(o.places, p.Place)
	}
	o.literals = append(o.literals, c.literals...)
}

// membership reads 'a' in place. ok is false if the right side is not a place.
func (r *reader) membership(x *syntax.Expr, in *scope) (ok bool) {
	for _, p := range r.places(x.Args[1], in) {
		if p.Root == params {
			continue
		}
		ok = true
		for _, literal := range r.whole(x.Args[0], in).literals {
			r.add(p, Value{Member, literal})
		}
		r.add(p, Value{Size, int64(0)}, Value{Typical, int64(0)})
	}
	return ok
}

// values returns the values at the edges of a comparison.
func (c *comparison) values() (all []Value) {
	add := func(v any) {
		if one := (Value{Literal, v}); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	texts := c.texts()
	for _, literal := range c.literals {
		switch is := literal.(type) {
		case int64:
			add(is - 1)
			add(is)
			add(is + 1)
		case uint64:
			add(int64(is) - 1)
			add(int64(is))
			add(int64(is) + 1)
		case float64:
			add(is - 1)
			add(is)
			add(is + 1)
		case bool:
			add(true)
			add(false)
		case string:
			for _, text := range c.around(is) {
				add(text)
			}
		}
	}
	for _, one := range texts { // such as the separator of split
		for _, other := range texts {
			if one != other && len(texts) <= maxJoined && len(c.functions) > 1 {
				add(one + other)
				add(one + other + one)
			}
		}
	}
	if len(c.places) > 1 || len(c.literals) == 0 || len(texts) > 0 {
		all = append(all, Value{Typical, int64(0)}, Value{Typical, int64(1)})
	}
	if len(c.places) > 1 {
		all = append(all, Value{Typical, int64(2)})
	}
	return all
}

// maxJoined is how many texts of a comparison are joined with each other.
const maxJoined = 3

// sizes returns the sizes at the edges of the numbers of a comparison.
func (c *comparison) sizes() (all []Value) {
	for _, literal := range c.literals {
		n, ok := literal.(int64)
		if !ok {
			continue
		}
		for size := max(n-1, 0); size <= n+1; size++ {
			all = append(all, Value{Size, size})
		}
	}
	if len(all) == 0 {
		all = append(all, Value{Size, int64(0)}, Value{Size, int64(1)}, Value{Size, int64(2)})
	}
	return all
}

func (c *comparison) has(function string) bool { return slices.Contains(c.functions, function) }

func (c *comparison) texts() (all []string) {
	for _, literal := range c.literals {
		if text, ok := literal.(string); ok && text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
