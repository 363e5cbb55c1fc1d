package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// uses says how an expression uses fields. Parts of the expression have IDs.
type uses struct {
	paths  map[int64]string // of fields, such as object.spec.replicas
	tested map[string]bool  // the paths that has() or ?. look for
	always map[int64]bool   // the parts that are evaluated whenever the expression is, and whose error is its error
	given  map[int64][]test // what has() and ?. have found where a field is used
	source map[int64]int64  // the part that a part takes its value from: the operand of a field, the list of an item
}

// A test is what has() or ?. found out about a field.
type test struct {
	path  string
	found bool
}

func usesOf(e ast.Expr) uses {
	u := uses{map[int64]string{}, map[string]bool{}, map[int64]bool{}, map[int64][]test{}, map[int64]int64{}}
	u.add(e, situation{always: true})
	return u
}

// A situation is one in which a part of an expression is evaluated.
type situation struct {
	always bool
	given  []test
	items  map[string]int64 // the variables that stand for items, with the list or map that they are of
}

// sometimes returns the situation of a part that is only evaluated after some tests, which may be none that are known.
func (s situation) sometimes(after []test) situation {
	return situation{given: slices.Concat(s.given, after), items: s.items}
}

// withItems returns the situation of a part that is evaluated for each item of a list or map, which the variables stand
// for.
func (s situation) withItems(of ast.Expr, variables ...string) situation {
	items := maps.Clone(s.items)
	if items == nil {
		items = map[string]int64{}
	}
	for _, v := range variables {
		items[v] = of.ID()
	}
	return situation{given: s.given, items: items}
}

func (u *uses) add(e ast.Expr, in situation) {
	if in.always {
		u.always[e.ID()] = true
	}
	switch e.Kind() {
	case ast.IdentKind:
		if list, ok := in.items[e.AsIdent()]; ok {
			u.source[e.ID()] = list
		}
	case ast.SelectKind:
		s := e.AsSelect()
		u.source[e.ID()] = s.Operand().ID()
		u.field(e, s.Operand(), s.FieldName(), s.IsTestOnly() || isOptional(s.Operand()), in)
		u.add(s.Operand(), in)
	case ast.CallKind:
		u.call(e, in)
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			u.add(item, in)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			u.add(entry.AsMapEntry().Key(), in)
			u.add(entry.AsMapEntry().Value(), in)
		}
	case ast.StructKind:
		for _, entry := range e.AsStruct().Fields() {
			if in.always {
				u.always[entry.ID()] = true
			}
			u.add(entry.AsStructField().Value(), in)
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		u.source[e.ID()] = c.IterRange().ID()
		u.add(c.IterRange(), in)
		within := in.withItems(c.IterRange(), c.IterVar(), c.IterVar2())
		for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			u.add(part, within)
		}
	}
}

func (u *uses) call(e ast.Expr, in situation) {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr: // the other side may decide
		undecided := call.FunctionName() == operators.LogicalAnd
		u.add(args[0], in.sometimes(testsOf(args[1], undecided)))
		u.add(args[1], in.sometimes(testsOf(args[0], undecided)))
		return
	case operators.Conditional:
		u.add(args[0], in)
		u.add(args[1], in.sometimes(testsOf(args[0], true)))
		u.add(args[2], in.sometimes(testsOf(args[0], false)))
		return
	case operators.OptSelect:
		if name, ok := literal(args[1]); ok {
			u.field(e, args[0], name, true, in)
		}
		u.source[e.ID()] = args[0].ID()
		u.add(args[0], in)
		return
	case operators.Index, operators.OptIndex:
		u.source[e.ID()] = args[0].ID()
	case "or", "orValue":
		if call.IsMemberFunction() && len(args) == 1 { // the argument is only evaluated if the target has no value
			u.add(call.Target(), in)
			u.add(args[0], in.sometimes(testsOf(call.Target(), false)))
			return
		}
	}
	if call.IsMemberFunction() {
		u.source[e.ID()] = call.Target().ID()
		u.add(call.Target(), in)
	}
	for _, arg := range args {
		u.add(arg, in)
	}
}

// testsOf returns what is known about fields if an expression has this result. An optional value counts as true if it
// exists.
func testsOf(e ast.Expr, result bool) []test {
	switch e.Kind() {
	case ast.SelectKind:
		if path := pathOf(e); path != "" && (e.AsSelect().IsTestOnly() || isOptional(e)) {
			return []test{{path, result}}
		}
	case ast.CallKind:
		call := e.AsCall()
		switch name := call.FunctionName(); {
		case name == operators.LogicalNot:
			return testsOf(call.Args()[0], !result)
		case name == operators.LogicalAnd && result, name == operators.LogicalOr && !result:
			return append(testsOf(call.Args()[0], result), testsOf(call.Args()[1], result)...)
		case name == operators.OptSelect:
			if path := pathOf(e); path != "" {
				return []test{{path, result}}
			}
		case name == "hasValue" && call.IsMemberFunction():
			return testsOf(call.Target(), result)
		}
	}
	return nil
}

// field adds a field of operand that e stands for. A tested field may be missing without an error.
func (u *uses) field(e, operand ast.Expr, name string, tested bool, in situation) {
	path := pathOf(operand)
	if path == "" {
		path = fmt.Sprintf("#%d", operand.ID())
	}
	path += "." + name
	u.paths[e.ID()], u.given[e.ID()] = path, in.given
	if tested {
		u.tested[path] = true
		delete(u.always, e.ID())
	}
}

// isOptional reports whether an expression is an optional field, so that its fields are optional as well.
func isOptional(e ast.Expr) bool {
	switch e.Kind() {
	case ast.SelectKind:
		return isOptional(e.AsSelect().Operand())
	case ast.CallKind:
		name := e.AsCall().FunctionName()
		return name == operators.OptSelect || name == operators.OptIndex
	}
	return false
}

// pathOf returns a chain of fields and constant indices as text, empty if e is something else.
func pathOf(e ast.Expr) string {
	of := func(operand ast.Expr, rest string) string {
		if path := pathOf(operand); path != "" {
			return path + rest
		}
		return ""
	}
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		return of(e.AsSelect().Operand(), "."+e.AsSelect().FieldName())
	case ast.CallKind:
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.OptSelect:
			if name, ok := literal(args[1]); ok {
				return of(args[0], "."+name)
			}
		case operators.Index, operators.OptIndex:
			if args[1].Kind() == ast.LiteralKind {
				return of(args[0], fmt.Sprintf("[%v]", args[1].AsLiteral()))
			}
		}
	}
	return ""
}

// awaits reports whether a field that the release does not have is only used in other releases: if has() finds another
// absent field, or does not find the field that the release has in its place.
func (u *uses) awaits(id int64, absent map[string]bool) bool {
	return slices.ContainsFunc(u.given[id], func(t test) bool {
		return t.found == absent[t.path] && (t.found || beside(t.path) == beside(u.paths[id]))
	})
}

// isAfter reports whether a part takes its value from a part that is one of those, also by way of others.
func (u *uses) isAfter(id int64, isOne func(part int64) bool) bool {
	for source, ok := u.source[id]; ok; source, ok = u.source[source] {
		if isOne(source) {
			return true
		}
	}
	return false
}

// beside returns the path of the object that has a field.
func beside(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }
