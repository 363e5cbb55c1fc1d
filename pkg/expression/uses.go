package expression

import (
	"fmt"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// uses says how an expression uses fields. Parts of the expression have IDs.
type uses struct {
	paths  map[int64]string // of fields, such as object.spec.replicas
	tested map[string]bool  // the paths that has() or ?. look for
	always map[int64]bool   // the parts that are evaluated whenever the expression is, and whose error is its error
}

func usesOf(e ast.Expr) uses {
	u := uses{map[int64]string{}, map[string]bool{}, map[int64]bool{}}
	u.add(e, true)
	return u
}

func (u *uses) add(e ast.Expr, always bool) {
	if always {
		u.always[e.ID()] = true
	}
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		u.field(e, s.Operand(), s.FieldName(), s.IsTestOnly() || isOptional(s.Operand()))
		u.add(s.Operand(), always)
	case ast.CallKind:
		u.call(e, always)
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			u.add(item, always)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			u.add(entry.AsMapEntry().Key(), always)
			u.add(entry.AsMapEntry().Value(), always)
		}
	case ast.StructKind:
		for _, entry := range e.AsStruct().Fields() {
			if always {
				u.always[entry.ID()] = true
			}
			u.add(entry.AsStructField().Value(), always)
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		u.add(c.IterRange(), always)
		for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			u.add(part, false)
		}
	}
}

func (u *uses) call(e ast.Expr, always bool) {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr: // the other side may decide
		u.add(args[0], false)
		u.add(args[1], false)
		return
	case operators.Conditional:
		u.add(args[0], always)
		u.add(args[1], false)
		u.add(args[2], false)
		return
	case operators.OptSelect:
		if name, ok := literal(args[1]); ok {
			u.field(e, args[0], name, true)
		}
		u.add(args[0], always)
		return
	}
	if call.IsMemberFunction() {
		u.add(call.Target(), always)
	}
	for _, arg := range args {
		u.add(arg, always)
	}
}

// field adds a field of operand that e stands for. A tested field may be missing without an error.
func (u *uses) field(e, operand ast.Expr, name string, tested bool) {
	path := pathOf(operand)
	if path == "" {
		path = fmt.Sprintf("#%d", operand.ID())
	}
	path += "." + name
	u.paths[e.ID()] = path
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
