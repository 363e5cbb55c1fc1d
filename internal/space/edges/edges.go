// Package edges finds the edges of CEL expressions: which places of a request they read, and the values of these places
// around each comparison, where the result changes. For object.spec.replicas <= 5 these are 4, 5, 6 and no replicas at
// all.
//
// Start with [Of]. Requests with each of these values reveal most ways in which a condition can be wrong: <= for <, a
// missing has(), all instead of exists. The package evaluates nothing, and knows neither which values a place of an
// object may have nor how a request is made.
package edges

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/space/syntax"
)

// Element is the step from a list to its elements, and from a map to its keys.
const Element = "[]"

// A Place is the place of a value in a request.
type Place struct {
	Root  string // object, oldObject, request or namespaceObject
	Steps []string
}

// String returns the place as people write it.
func (p Place) String() string {
	var b strings.Builder
	b.WriteString(p.Root)
	for _, step := range p.Steps {
		switch {
		case step == Element:
			b.WriteString("[*]")
		case isName(step):
			b.WriteString("." + step)
		default:
			fmt.Fprintf(&b, "[%q]", step)
		}
	}
	return b.String()
}

func isName(step string) bool {
	return step != "" && !strings.ContainsFunc(step, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// then returns the place that a step leads to.
func (p Place) then(step string) Place {
	return Place{p.Root, append(slices.Clip(slices.Clone(p.Steps)), step)}
}

// A Sort says what a [Value] is.
type Sort int

const (
	Absent  Sort = iota
	Literal      // Is
	Member       // a list, or the keys of a map, that contains Is
	Size         // as many elements or characters as Is says
	Typical      // one of the values that the place may have; Is says which one, from 0
)

// A Value is a possible value of a place.
type Value struct {
	Sort Sort
	Is   any // string, int64, float64 or bool; for Size and Typical an int64
}

// A Variation lists the values that a place should have, one after the other.
type Variation struct {
	Place  Place
	Values []Value
}

// Context is what expressions mention besides the request.
type Context struct {
	Variables map[string]string // expressions by name
	Params    []map[string]any  // the possible objects of params
}

// Of returns the places that an expression reads, with the values at its edges, in the order in which it mentions them.
func Of(expression string, in Context) []Variation {
	r := &reader{Context: in, found: map[string]int{}, affixes: map[string]*affixes{}}
	r.condition(syntax.Parse(expression), nil)
	r.join()
	return r.all
}

// A reader reads one expression.
type reader struct {
	Context
	all     []Variation
	found   map[string]int      // positions in all, by place
	affixes map[string]*affixes // by place
	depth   int                 // of variables in variables
}

// add adds values of a place. Every place that can be left out also gets the value of being left out.
func (r *reader) add(p Place, values ...Value) {
	if p.Root == params || len(p.Steps) == 0 {
		return
	}
	key := p.String()
	at, ok := r.found[key]
	if !ok {
		at = len(r.all)
		r.found[key] = at
		r.all = append(r.all, Variation{Place: p, Values: []Value{{Sort: Absent}}})
	}
	for _, v := range values {
		if !slices.Contains(r.all[at].Values, v) {
			r.all[at].Values = append(r.all[at].Values, v)
		}
	}
}

// condition reads an expression that is true or false.
func (r *reader) condition(x *syntax.Expr, in *scope) {
	switch {
	case x.Kind == syntax.Call && (x.Name == syntax.And || x.Name == syntax.Or || x.Name == syntax.Not || x.Name == syntax.If):
		for _, part := range x.Args {
			r.condition(part, in)
		}
	case x.Kind == syntax.Has:
		for _, p := range r.places(x.Args[0], in) {
			r.add(p.then(x.Name), Value{Typical, int64(0)})
		}
	case x.Kind == syntax.Macro:
		r.macro(x, in)
	case isBind(x):
		r.condition(x.Args[3], bound(x, in))
	default:
		r.comparison(x, in)
	}
}

// macro reads a macro over a list, and what it says about each element. It returns the elements of the macro's result.
func (r *reader) macro(x *syntax.Expr, in *scope) operand {
	if len(x.Args) < 3 {
		return operand{}
	}
	list := r.elements(x.Args[0], in)
	inner, body := &scope{x.Args[1].Name, list, in}, x.Args[2:]
	if len(x.Args) == 4 && x.Name != "map" && x.Args[2].Kind == syntax.Ident { // an index or a key, and the element
		inner, body = &scope{x.Args[2].Name, list, &scope{x.Args[1].Name, operand{}, in}}, x.Args[3:]
	}
	for _, p := range list.places {
		if last := len(p.Steps) - 1; p.Steps[last] == Element {
			r.add(Place{p.Root, p.Steps[:last]}, Value{Size, int64(0)}, Value{Size, int64(1)}, Value{Size, int64(2)})
		}
	}
	made := list
	for i, part := range body {
		if x.Name == "map" && i == len(body)-1 {
			made = r.whole(part, inner)
			continue
		}
		r.condition(part, inner)
	}
	return made
}

// isBind reports whether x is cel.bind(variable, value, expression).
func isBind(x *syntax.Expr) bool {
	return x.Kind == syntax.Call && x.Name == "bind" && len(x.Args) == 4 && x.Args[0].Kind == syntax.Ident && x.Args[0].Name == "cel"
}

// bound returns the scope of the expression in cel.bind.
func bound(x *syntax.Expr, in *scope) *scope {
	return &scope{x.Args[1].Name, operand{expr: x.Args[2], in: in}, in}
}

// whole returns the possible values of an expression: the places it is read from, and literals.
func (r *reader) whole(x *syntax.Expr, in *scope) operand {
	var o operand
	r.operands(x, in, &o)
	return o
}
