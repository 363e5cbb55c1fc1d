// Package syntax parses CEL expressions into trees, without types: what they compare with what. It evaluates nothing.
package syntax

import (
	"slices"
	"sync"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"
)

// A Kind is the kind of an [Expr].
type Kind int

const (
	Other Kind = iota // not analyzed further, such as a comprehension
	Ident
	Select  // a field: Args[0].Name
	Has     // has(Args[0].Name)
	Literal // Value
	List    // [Args...]
	Call    // Name(Args...); for a method, the target comes first
	Macro   // Args[0].Name(Args[1:]...), such as exists: a list, a variable, and the expression for each element
)

// Operators, as names of calls.
const (
	And       = operators.LogicalAnd
	Or        = operators.LogicalOr
	Not       = operators.LogicalNot
	If        = operators.Conditional
	Equals    = operators.Equals
	NotEquals = operators.NotEquals
	In        = operators.In
	Index     = operators.Index
	OptIndex  = operators.OptIndex
	OptSelect = operators.OptSelect
)

// An Expr is an expression, or a part of one.
type Expr struct {
	Kind  Kind
	Name  string
	Value any // string, bool, nil for null; for other literals what CEL holds
	Args  []*Expr
	Text  string // the expression in its normal form
}

var reader = sync.OnceValues(func() (*parser.Parser, error) {
	return parser.NewParser(
		parser.Macros(parser.AllMacros...), parser.PopulateMacroCalls(true), parser.EnableOptionalSyntax(true), parser.EnableIdentEscapeSyntax(true),
	)
})

// Parse parses an expression. An invalid expression has the kind Other and its own text.
func Parse(text string) *Expr {
	p, err := reader()
	if err != nil {
		return &Expr{Text: text}
	}
	read, errs := p.Parse(common.NewTextSource(text))
	if len(errs.GetErrors()) > 0 {
		return &Expr{Text: text}
	}
	t := &tree{info: read.SourceInfo(), whole: text}
	return t.of(read.Expr())
}

type tree struct {
	info  *ast.SourceInfo
	whole string
}

func (t *tree) of(e ast.Expr) *Expr {
	x := &Expr{Text: t.text(e)}
	switch e.Kind() {
	case ast.ComprehensionKind, ast.UnspecifiedExprKind: // the second: a macro in the arguments of another
		t.macro(x, e)
	case ast.IdentKind:
		x.Kind, x.Name = Ident, e.AsIdent()
	case ast.SelectKind:
		s := e.AsSelect()
		x.Kind, x.Name, x.Args = Select, s.FieldName(), []*Expr{t.of(s.Operand())}
		if s.IsTestOnly() {
			x.Kind = Has
		}
	case ast.LiteralKind:
		x.Kind, x.Value = Literal, e.AsLiteral().Value()
		if e.AsLiteral().Type().TypeName() == "null_type" {
			x.Value = nil
		}
	case ast.ListKind:
		if len(e.AsList().OptionalIndices()) > 0 {
			return x
		}
		x.Kind, x.Args = List, t.all(e.AsList().Elements())
	case ast.CallKind:
		call := e.AsCall()
		x.Kind, x.Name = Call, call.FunctionName()
		if call.IsMemberFunction() {
			x.Args = append(x.Args, t.of(call.Target()))
		}
		x.Args = append(x.Args, t.all(call.Args())...)
	}
	return x
}

// macro reads a macro as it is written, not as what it expands to.
func (t *tree) macro(x *Expr, e ast.Expr) {
	written, ok := t.info.GetMacroCall(e.ID())
	if !ok {
		return
	}
	call := written.AsCall()
	switch args := call.Args(); {
	case call.IsMemberFunction():
		x.Kind, x.Name = Macro, call.FunctionName()
		x.Args = append([]*Expr{t.of(call.Target())}, t.all(args)...)
	case call.FunctionName() == operators.Has && len(args) == 1 && args[0].Kind() == ast.SelectKind:
		s := args[0].AsSelect()
		x.Kind, x.Name, x.Args = Has, s.FieldName(), []*Expr{t.of(s.Operand())}
	}
}

func (t *tree) all(list []ast.Expr) []*Expr {
	all := make([]*Expr, len(list))
	for i, e := range list {
		all[i] = t.of(e)
	}
	return all
}

func (t *tree) text(e ast.Expr) string {
	text, err := parser.Unparse(e, t.info)
	if err != nil {
		return t.whole
	}
	return text
}

// AlwaysReads reports whether every evaluation of x reads a field of a variable, so that x fails if the variable is null.
// has() does not read the field that it asks for. A macro only counts with its list, which is read first.
func (x *Expr) AlwaysReads(variable string) bool {
	reads := func(part *Expr) bool { return part.AlwaysReads(variable) }
	switch {
	case x.Kind == Select || x.Kind == Call && x.Name == Index:
		if of := x.Args[0]; of.Kind == Ident && of.Name == variable {
			return true
		}
	case x.Kind == Call && (x.Name == And || x.Name == Or): // one part decides if the other one fails
		return reads(x.Args[0]) && reads(x.Args[1])
	case x.Kind == Call && x.Name == If:
		return reads(x.Args[0]) || reads(x.Args[1]) && reads(x.Args[2])
	case x.Kind == Macro || x.Kind == Call && isPartial(x.Name):
		return reads(x.Args[0])
	}
	return slices.ContainsFunc(x.Args, reads)
}

// isPartial reports whether a function, or a macro of CEL's extensions, need not evaluate all of its arguments.
func isPartial(name string) bool {
	switch name {
	case "or", "orValue", "optMap", "optFlatMap", "bind", "block", "sortBy", "all", "exists", "existsOne", "exists_one", "map", "filter",
		"transformList", "transformMap", "transformMapEntry":
		return true
	}
	return false
}

// Mentions reports whether x or a part of it is a variable.
func (x *Expr) Mentions(variable string) bool {
	return x.Kind == Ident && x.Name == variable || slices.ContainsFunc(x.Args, func(part *Expr) bool { return part.Mentions(variable) })
}

// Each visits x and its parts.
func (x *Expr) Each(visit func(*Expr)) {
	visit(x)
	for _, part := range x.Args {
		part.Each(visit)
	}
}
