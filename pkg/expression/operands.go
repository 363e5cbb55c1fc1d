package expression

import (
	"context"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// An Operand is a part of a predicate, with its value as JSON.
type Operand struct{ Text, JSON string }

// Operands returns the parts of a false predicate that made it false: for `a == 1 && b.all(…)`, the value of a if it is
// not 1, and the value of b if the macro is false. Parts without a value, or with a value that JSON cannot hold, are
// left out.
func (p *Predicate) Operands(ctx context.Context, in Input, n int) []Operand {
	env, err := p.compiler.callable.base(ofRelease)
	if err != nil {
		return nil
	}
	// Without macro call tracking, the parts within macros cannot be written as text again.
	if env, err = env.Extend(cel.EnableMacroCallTracking()); err != nil {
		return nil
	}
	parsed, issues := env.Parse(p.text)
	if issues.Err() != nil {
		return nil
	}
	r := &reader{ctx: ctx, in: in, call: n, compiler: p.compiler, info: parsed.NativeRep().SourceInfo()}
	r.falseParts(parsed.NativeRep().Expr())
	return r.found
}

// A reader finds the operands of one predicate.
type reader struct {
	ctx      context.Context
	in       Input
	call     int
	compiler *Compiler
	info     *ast.SourceInfo
	found    []Operand
}

// falseParts looks at the parts of a conjunction that are not true.
func (r *reader) falseParts(e ast.Expr) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.LogicalAnd {
		r.parts(e)
		return
	}
	for _, side := range e.AsCall().Args() {
		if _, value := r.value(side); value != types.True {
			r.falseParts(side)
		}
	}
}

// parts adds the operands of e.
func (r *reader) parts(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind:
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.LogicalOr:
			for _, side := range call.Args() {
				r.falseParts(side)
			}
			return
		case operators.LogicalNot:
			r.parts(call.Args()[0])
			return
		}
		if call.IsMemberFunction() {
			r.add(call.Target())
		}
		for _, arg := range call.Args() {
			r.add(arg)
		}
	case ast.ComprehensionKind:
		r.add(e.AsComprehension().IterRange())
	case ast.SelectKind:
		if e.AsSelect().IsTestOnly() {
			r.add(e.AsSelect().Operand())
			return
		}
		r.add(e)
	case ast.IdentKind:
		r.add(e)
	}
}

// add adds the value of e, unless it is a literal in the expression.
func (r *reader) add(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind, ast.ListKind, ast.MapKind, ast.StructKind:
		return
	}
	text, value := r.value(e)
	if value == nil {
		return
	}
	data, err := jsonOf(value)
	if err != nil {
		return
	}
	for _, known := range r.found {
		if known.Text == text {
			return
		}
	}
	r.found = append(r.found, Operand{text, string(data)})
}

// value returns a part as text, and its value, or nil if it has none.
func (r *reader) value(e ast.Expr) (text string, value ref.Val) {
	text, err := parser.Unparse(e, r.info)
	if err != nil {
		return "", nil
	}
	out, err := r.compiler.evaluateCall(r.ctx, r.in, r.call, text, r.compiler.compileCallable(text, wantAnything))
	if err != nil || out.err != nil {
		return text, nil
	}
	return text, out.value
}
