package celquirks

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// A formerChecker checks the types of an expression as the CEL library up to 0.16 did:
// google/cel-go@v0.16.1:checker/checker.go. Unlike today's, it leaves the call of an unknown method without a type, which
// causes further errors, and looks for overloads of && and || (W-350).
type formerChecker struct {
	former    Former
	functions map[string]*decls.FunctionDecl
	variables map[string]*types.Type
	provider  types.Provider
	source    *ast.SourceInfo
	errs      []*common.Error

	types map[int64]*types.Type
	bound bindings
	fresh int // number of type parameters that were made
	scope *formerScope
	mixed bool // numbers of different types may be compared
}

// A formerScope has a variable of a macro.
type formerScope struct {
	name  string
	t     *types.Type
	outer *formerScope
}

// checked returns the errors of the former checker about a parsed expression.
func (f Former) checked(env *cel.Env, parsed *ast.AST) []*common.Error {
	_, unmixed := env.Compile("1 < 1.5")
	c := &formerChecker{
		former: f, functions: env.Functions(), variables: map[string]*types.Type{}, provider: env.CELTypeProvider(),
		source: parsed.SourceInfo(), types: map[int64]*types.Type{}, bound: bindings{}, mixed: unmixed.Err() == nil,
	}
	for _, v := range env.Variables() {
		c.variables[v.Name()] = v.Type()
	}
	c.check(parsed.Expr())
	return c.errs
}

func (c *formerChecker) fail(id int64, format string, args ...any) {
	c.errs = append(c.errs, common.NewError(id, fmt.Sprintf(format, args...), c.source.GetStartLocation(id)))
}

func (c *formerChecker) undeclared(e ast.Expr, name string) {
	c.fail(e.ID(), "undeclared reference to '%s' (in container '')", name)
}

func (c *formerChecker) mismatch(e ast.Expr, want, got *types.Type) {
	c.fail(e.ID(), "expected type '%s' but found '%s'", c.name(want), c.name(got))
}

// typed returns the type of an expression, after checking it.
func (c *formerChecker) typed(e ast.Expr) *types.Type {
	c.check(e)
	return c.types[e.ID()]
}

func (c *formerChecker) check(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		c.types[e.ID()], _ = e.AsLiteral().Type().(*types.Type)
	case ast.IdentKind:
		t, ok := c.ident(e.AsIdent())
		if !ok {
			t = types.ErrorType
			c.undeclared(e, e.AsIdent())
		}
		c.types[e.ID()] = t
	case ast.SelectKind:
		c.selection(e)
	case ast.CallKind:
		c.call(e)
	case ast.ListKind:
		c.list(e)
	case ast.MapKind:
		c.mapping(e)
	case ast.StructKind:
		c.message(e)
	case ast.ComprehensionKind:
		c.comprehension(e)
	}
}

// ident returns the type of a variable or, for a type, that of types.
func (c *formerChecker) ident(name string) (*types.Type, bool) {
	for s := c.scope; s != nil; s = s.outer {
		if s.name == name {
			return s.t, true
		}
	}
	for _, name := range containers.DefaultContainer.ResolveCandidateNames(name) {
		if t, ok := c.variables[name]; ok {
			return t, true
		}
		if found, ok := c.provider.FindIdent(name); ok {
			if t, ok := found.(*types.Type); ok {
				return types.NewTypeTypeWithParam(t), true
			}
		}
		if t, ok := c.provider.FindStructType(name); ok {
			return t, true
		}
		if c.provider.EnumValue(name).Type() != types.ErrType {
			return types.IntType, true
		}
	}
	return nil, false
}

func (c *formerChecker) function(name string) *decls.FunctionDecl {
	fn := c.functions[name]
	if fn == nil || fn.IsDeclarationDisabled() || c.former.lacks(name) {
		return nil
	}
	return fn
}

func (c *formerChecker) selection(e ast.Expr) {
	if name, ok := containers.ToQualifiedName(e); ok {
		if t, ok := c.ident(name); ok {
			c.types[e.ID()] = t
			return
		}
	}
	s := e.AsSelect()
	t := c.field(e, s.Operand(), s.FieldName(), false)
	if s.IsTestOnly() {
		t = types.BoolType
	}
	c.types[e.ID()] = c.substituted(t)
}

// substituted returns a type in which type parameters are replaced, which the first library did not do everywhere.
func (c *formerChecker) substituted(t *types.Type) *types.Type {
	if c.former.before(parametersReplaced) {
		return t
	}
	return c.bound.substituted(t, false)
}

// field returns the type of a field of operand.
func (c *formerChecker) field(e, operand ast.Expr, name string, optional bool) *types.Type {
	of, wasOptional := unwrapped(c.substituted(c.typed(operand)))
	result := types.ErrorType
	switch of.Kind() {
	case types.MapKind:
		result = of.Parameters()[1]
	case types.StructKind:
		if t, ok := c.declaredField(e.ID(), of.TypeName(), name); ok {
			result = t
		}
	case types.TypeParamKind:
		c.bound.assign([]*types.Type{types.DynType}, []*types.Type{of})
		result = types.DynType
	default:
		if !isDynOrError(of) {
			c.fail(e.ID(), "type '%s' does not support field selection", asProto(of))
		}
		if isDynOrError(of) || !c.former.before(optionalSyntax) {
			result = types.DynType
		}
	}
	if wasOptional || optional {
		return types.NewOptionalType(result)
	}
	return result
}

func (c *formerChecker) declaredField(id int64, of, name string) (*types.Type, bool) {
	if _, ok := c.provider.FindStructType(of); !ok {
		c.fail(id, "[internal] unexpected failed resolution of '%s'", of)
		return nil, false
	}
	f, ok := c.provider.FindStructFieldType(of, name)
	if !ok {
		c.fail(id, "undefined field '%s'", name)
		return nil, false
	}
	return f.Type, true
}

func (c *formerChecker) call(e ast.Expr) {
	call := e.AsCall()
	args := call.Args()
	if call.FunctionName() == operators.OptSelect {
		if name, ok := args[1].AsLiteral().Value().(string); ok {
			c.types[e.ID()] = c.substituted(c.field(e, args[0], name, true))
		}
		return
	}
	for _, arg := range args {
		c.check(arg)
	}
	if !call.IsMemberFunction() {
		if fn := c.function(call.FunctionName()); fn != nil {
			c.resolve(e, fn, nil)
			return
		}
		c.undeclared(e, call.FunctionName())
		c.types[e.ID()] = types.ErrorType
		return
	}
	if namespace, ok := containers.ToQualifiedName(call.Target()); ok {
		if fn := c.function(namespace + "." + call.FunctionName()); fn != nil {
			c.resolve(e, fn, nil)
			return
		}
	}
	c.check(call.Target())
	if fn := c.function(call.FunctionName()); fn != nil {
		c.resolve(e, fn, call.Target())
		return
	}
	c.undeclared(e, call.FunctionName()) // and has no type
}

// resolve looks for the overloads that a call may mean.
func (c *formerChecker) resolve(e ast.Expr, fn *decls.FunctionDecl, target ast.Expr) {
	var args []*types.Type
	if target != nil {
		args = append(args, c.types[target.ID()])
	}
	for _, arg := range e.AsCall().Args() {
		args = append(args, c.types[arg.ID()])
	}
	var result *types.Type
	for _, o := range fn.OverloadDecls() {
		if o.IsMemberFunction() != (target != nil) || !c.mixed && slices.Contains(mixedComparisons, o.ID()) || c.former.lacksOverload(fn, o) {
			continue
		}
		fresh := bindings{}
		for _, p := range o.TypeParams() {
			fresh[p] = c.parameter()
		}
		params := make([]*types.Type, len(o.ArgTypes()))
		for i, p := range o.ArgTypes() {
			params[i] = fresh.substituted(p, false)
		}
		if !c.bound.assign(args, params) {
			continue
		}
		switch of := c.bound.substituted(fresh.substituted(o.ResultType(), false), false); {
		case result == nil:
			result = of
		case !isDyn(result) && !exact(result, of):
			result = types.DynType
		}
	}
	if result == nil {
		c.noOverload(e, fn, args, target != nil)
		result = types.ErrorType
	}
	c.types[e.ID()] = result
}

func (c *formerChecker) noOverload(e ast.Expr, fn *decls.FunctionDecl, args []*types.Type, member bool) {
	if !c.former.before(optionalSyntax) {
		for i, arg := range args {
			args[i] = c.bound.substituted(arg, true)
		}
	}
	of := ""
	if member {
		of, args = c.name(args[0])+".", args[1:]
	}
	c.fail(e.ID(), "found no matching overload for '%s' applied to '%s(%s)'", fn.Name(), of, c.names(args))
}

// parameter returns a type parameter with a new name.
func (c *formerChecker) parameter() *types.Type {
	c.fresh++
	return types.NewTypeParamType(fmt.Sprintf("_var%d", c.fresh-1))
}

func (c *formerChecker) list(e ast.Expr) {
	l := e.AsList()
	elements := (*types.Type)(nil)
	for i, element := range l.Elements() {
		t := c.part(element, slices.Contains(l.OptionalIndices(), int32(i)))
		elements = c.joined(element, elements, t)
	}
	if elements == nil {
		elements = c.parameter()
	}
	c.types[e.ID()] = types.NewListType(elements)
}

func (c *formerChecker) mapping(e ast.Expr) {
	keys, values := (*types.Type)(nil), (*types.Type)(nil)
	for _, entry := range e.AsMap().Entries() {
		entry := entry.AsMapEntry()
		keys = c.joined(entry.Key(), keys, c.typed(entry.Key()))
		values = c.joined(entry.Value(), values, c.part(entry.Value(), entry.IsOptional()))
	}
	if keys == nil {
		keys, values = c.parameter(), c.parameter()
	}
	c.types[e.ID()] = types.NewMapType(keys, values)
}

// part returns the type of an element, value or field, which has to be optional if it is written with a question mark.
func (c *formerChecker) part(e ast.Expr, optional bool) *types.Type {
	t := c.typed(e)
	if !optional {
		return t
	}
	t, ok := unwrapped(t)
	if !ok && !isDyn(t) {
		c.mismatch(e, types.NewOptionalType(t), t)
	}
	return t
}

// joined returns the common type of an element and those before it. An element without a type counts as none.
func (c *formerChecker) joined(e ast.Expr, before, t *types.Type) *types.Type {
	switch {
	case before == nil:
		return t
	case c.bound.assign([]*types.Type{before}, []*types.Type{t}):
		return mostGeneral(before, t)
	case c.former.before(serverFunctions):
		return types.DynType // elements need not have one type
	}
	c.mismatch(e, before, t)
	return types.ErrorType
}

func (c *formerChecker) message(e ast.Expr) {
	s := e.AsStruct()
	declared, ok := c.ident(s.TypeName())
	if !ok {
		c.undeclared(e, s.TypeName()) // and has no type
		return
	}
	of := types.ErrorType
	switch {
	case declared.Kind() == types.ErrorKind:
	case declared.Kind() != types.TypeKind:
		c.fail(e.ID(), "'%s(%s)' is not a type", c.name(declared), asProto(declared))
	case len(declared.Parameters()) == 0 || !isMessage(declared.Parameters()[0], s.TypeName()):
		c.fail(e.ID(), "'%s' is not a message type", s.TypeName())
	default:
		of = declared.Parameters()[0]
	}
	c.types[e.ID()] = of
	name := ""
	if of.Kind() != types.ErrorKind {
		name = s.TypeName()
	}
	for _, f := range s.Fields() {
		field := f.AsStructField()
		got := c.typed(field.Value())
		want, ok := c.declaredField(f.ID(), name, field.Name())
		if !ok {
			want = types.ErrorType
		}
		if field.IsOptional() {
			got = c.part(field.Value(), true)
		}
		if !c.bound.assign([]*types.Type{want}, []*types.Type{got}) {
			c.fail(f.ID(), "expected type of field '%s' is '%s' but provided type is '%s'", field.Name(), c.name(want), c.name(got))
		}
	}
}

// isMessage reports whether values of a type can be written as messages: it is the type of a message, or one of CEL's own
// types under the name of its message.
func isMessage(t *types.Type, name string) bool {
	return t.Kind() == types.StructKind || t.TypeName() != name || t.Kind() == types.AnyKind || t.Kind() == types.DurationKind || t.Kind() == types.TimestampKind
}

func (c *formerChecker) comprehension(e ast.Expr) {
	m := e.AsComprehension()
	over := c.substituted(c.typed(m.IterRange()))
	sum := c.typed(m.AccuInit())
	each := types.DynType
	switch over.Kind() {
	case types.ListKind, types.MapKind:
		each = over.Parameters()[0]
	case types.DynKind, types.ErrorKind, types.TypeParamKind:
		c.bound.assign([]*types.Type{types.DynType}, []*types.Type{over})
	default:
		c.fail(m.IterRange().ID(), "expression of type '%s' cannot be range of a comprehension (must be list, map, or dynamic)", c.name(over))
		each = types.ErrorType
	}
	c.mixed = true // a mistake of the library: what may not be compared is forgotten with the first scope
	outer := c.scope
	c.scope = &formerScope{m.AccuVar(), sum, outer}
	c.scope = &formerScope{m.IterVar(), each, c.scope}
	c.assert(m.LoopCondition(), types.BoolType)
	c.assert(m.LoopStep(), sum)
	c.scope = c.scope.outer
	c.types[e.ID()] = c.substituted(c.typed(m.Result()))
	c.scope = outer
}

func (c *formerChecker) assert(e ast.Expr, want *types.Type) {
	if got := c.typed(e); !c.bound.assign([]*types.Type{want}, []*types.Type{got}) {
		c.mismatch(e, want, got)
	}
}

// mixedComparisons compare numbers of different types.
var mixedComparisons = []string{
	overloads.LessDoubleInt64, overloads.LessDoubleUint64, overloads.LessInt64Double, overloads.LessInt64Uint64, overloads.LessUint64Double, overloads.LessUint64Int64,
	overloads.LessEqualsDoubleInt64, overloads.LessEqualsDoubleUint64, overloads.LessEqualsInt64Double, overloads.LessEqualsInt64Uint64, overloads.LessEqualsUint64Double, overloads.LessEqualsUint64Int64,
	overloads.GreaterDoubleInt64, overloads.GreaterDoubleUint64, overloads.GreaterInt64Double, overloads.GreaterInt64Uint64, overloads.GreaterUint64Double, overloads.GreaterUint64Int64,
	overloads.GreaterEqualsDoubleInt64, overloads.GreaterEqualsDoubleUint64, overloads.GreaterEqualsInt64Double, overloads.GreaterEqualsInt64Uint64, overloads.GreaterEqualsUint64Double, overloads.GreaterEqualsUint64Int64,
}
