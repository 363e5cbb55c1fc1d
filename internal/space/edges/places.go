package edges

import (
	"strconv"

	"github.com/admsim/admsim/internal/space/syntax"
)

// params is the root of places that are not part of a request.
const params = "params"

// A scope is a variable of a macro, and those around it.
type scope struct {
	name  string
	is    operand
	outer *scope
}

// An operand is a possible value of a part of an expression.
type operand struct {
	places   []Place
	literals []any
	expr     *syntax.Expr // or this, in its own scope
	in       *scope
}

func (o *operand) add(other operand) {
	o.places, o.literals = append(o.places, other.places...), append(o.literals, other.literals...)
}

func (s *scope) lookUp(name string) (operand, bool) {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s.is, true
		}
	}
	return operand{}, false
}

// variable returns the expression of variables.name.
func (r *reader) variable(x *syntax.Expr) *syntax.Expr {
	if x.Kind != syntax.Select || x.Args[0].Kind != syntax.Ident || x.Args[0].Name != "variables" {
		return nil
	}
	text, ok := r.Variables[x.Name]
	if !ok || r.depth > maxNested {
		return nil
	}
	return syntax.Parse(text)
}

// maxNested is how deeply variables may refer to variables: the server only allows references to earlier ones.
const maxNested = 64

// places returns the places that an expression is read from directly, without any function.
func (r *reader) places(x *syntax.Expr, in *scope) (all []Place) {
	r.depth++
	defer func() { r.depth-- }()
	if is := r.variable(x); is != nil {
		return r.places(is, nil)
	}
	steps := func(of *syntax.Expr, step string) {
		for _, p := range r.places(of, in) {
			all = append(all, p.then(step))
		}
	}
	switch x.Kind {
	case syntax.Ident:
		if is, ok := in.lookUp(x.Name); ok {
			if is.expr != nil {
				return r.places(is.expr, is.in)
			}
			return is.places
		}
		switch x.Name {
		case "object", "oldObject", "request", "namespaceObject", params:
			return []Place{{Root: x.Name}}
		}
	case syntax.Select:
		steps(x.Args[0], x.Name)
	case syntax.Call:
		if isBind(x) {
			return r.places(x.Args[3], bound(x, in))
		}
		switch x.Name {
		case syntax.Index, syntax.OptIndex, syntax.OptSelect:
			switch key := x.Args[1].Value.(type) {
			case string:
				steps(x.Args[0], key)
			case int64:
				steps(x.Args[0], Element)
			default: // such as the name of a label in params
				for _, key := range r.texts(x.Args[1], in) {
					steps(x.Args[0], key)
				}
			}
		case "orValue", "or":
			return append(r.places(x.Args[0], in), r.places(x.Args[1], in)...)
		case "value", "dyn", "optional.of", "optional.ofNonZeroValue":
			return r.places(x.Args[len(x.Args)-1], in)
		case syntax.If:
			return append(r.places(x.Args[1], in), r.places(x.Args[2], in)...)
		}
	case syntax.Macro:
		if x.Name == "filter" {
			return r.lists(x.Args[0], in)
		}
	}
	return all
}

// texts returns the possible texts of an expression that is read from params or from a list of texts.
func (r *reader) texts(x *syntax.Expr, in *scope) (all []string) {
	if x.Kind != syntax.Ident && x.Kind != syntax.Select {
		return nil
	}
	var literals []any
	if is, ok := in.lookUp(x.Name); ok && x.Kind == syntax.Ident {
		literals = is.literals
	}
	for _, p := range r.places(x, in) {
		if p.Root == params {
			literals = append(literals, r.valuesOf(p)...)
		}
	}
	for _, one := range literals {
		if text, ok := one.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// lists returns the places of lists that are concatenated.
func (r *reader) lists(x *syntax.Expr, in *scope) []Place {
	if x.Kind == syntax.Call && x.Name == "_+_" {
		return append(r.lists(x.Args[0], in), r.lists(x.Args[1], in)...)
	}
	return r.places(x, in)
}

// elements returns the possible elements of a list or keys of a map. It also reads conditions in the expression.
func (r *reader) elements(x *syntax.Expr, in *scope) (o operand) {
	r.depth++
	defer func() { r.depth-- }()
	if is := r.variable(x); is != nil {
		return r.elements(is, nil)
	}
	switch x.Kind {
	case syntax.List:
		for _, one := range x.Args {
			o.add(r.whole(one, in))
		}
		return o
	case syntax.Macro:
		return r.macro(x, in)
	case syntax.Ident:
		if is, ok := in.lookUp(x.Name); ok && is.expr != nil {
			return r.elements(is.expr, is.in)
		}
	case syntax.Call:
		if isBind(x) {
			return r.elements(x.Args[3], bound(x, in))
		}
		switch x.Name {
		case "_+_", "orValue", "or":
			o = r.elements(x.Args[0], in)
			o.add(r.elements(x.Args[1], in))
			return o
		case syntax.If:
			r.condition(x.Args[0], in)
			o = r.elements(x.Args[1], in)
			o.add(r.elements(x.Args[2], in))
			return o
		case "flatten", "distinct", "sort", "reverse":
			return r.elements(x.Args[0], in)
		case "split": // the parts of a text
			r.operands(x, in, &o)
			return o
		}
	}
	for _, p := range r.places(x, in) { // also of params, whose values may be used
		o.places = append(o.places, p.then(Element))
	}
	return o
}

// valuesOf returns the literals at a place in params.
func (r *reader) valuesOf(p Place) (all []any) {
	for _, object := range r.Params {
		all = append(all, literalsAt(object, p.Steps)...)
	}
	return all
}

func literalsAt(in any, steps []string) (all []any) {
	if len(steps) > 0 {
		switch is := in.(type) {
		case map[string]any:
			if steps[0] == Element {
				for key := range is {
					all = append(all, key)
				}
				return all
			}
			if next, ok := is[steps[0]]; ok {
				return literalsAt(next, steps[1:])
			}
		case []any:
			for _, one := range is {
				if steps[0] == Element {
					all = append(all, literalsAt(one, steps[1:])...)
				}
			}
		}
		return all
	}
	switch is := in.(type) {
	case string, int64, float64, bool:
		return []any{is}
	case []any:
		for _, one := range is {
			all = append(all, literalsAt(one, nil)...)
		}
	case map[string]any:
		for key := range is {
			all = append(all, key)
		}
	}
	return all
}

// numberIn parses a text as a number.
func numberIn(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
