package expression

import (
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// Secrets knows which parts of the input of expressions are secret. A path leads from a variable to a part of it;
// [AnyPart] stands for any part.
type Secrets interface {
	// Has reports whether the part at a path is secret, contains a secret, or is within one.
	Has(variable string, path []string) bool
	// HasKeys reports whether the keys of the map at a path are not secret.
	HasKeys(variable string, path []string) bool
	// Part returns the value at a path without its secrets.
	Part(variable string, path []string, value any) any
	// Made returns what is shown instead of a value that was made of secrets.
	Made(value any) any
	// Variable returns the expression of one of the policy's variables.
	Variable(name string) (text string, ok bool)
}

// AnyPart is a step of a path that may lead to any part, because it is not known to which.
const AnyPart = "*"

// WithoutSecrets returns the value of an expression without the parts that come from secrets. Literals in the
// expression stay, such as the beginning of 'password ' + object.data.password. So do booleans: they decide about the
// request.
func WithoutSecrets(text string, value any, secrets Secrets) any {
	switch value.(type) {
	case nil, bool:
		return value
	}
	t := newTracer(secrets)
	e := parsed(text)
	if e == nil {
		return secrets.Made(value)
	}
	return t.without(e, nil, value)
}

// MayContainSecrets reports whether the value of an expression may be made of secrets.
func MayContainSecrets(text string, secrets Secrets) bool {
	t := newTracer(secrets)
	e := parsed(text)
	return e == nil || t.owes(t.of(e, nil))
}

// hiding returns the environment in which texts are parsed.
var hiding = sync.OnceValues(func() (*cel.Env, error) {
	env, err := newest()
	if err != nil {
		return nil, err
	}
	return env.Extend(cel.EnableIdentifierEscapeSyntax())
})

func parsed(text string) ast.Expr {
	env, err := hiding()
	if err != nil {
		return nil
	}
	read, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil
	}
	return read.NativeRep().Expr()
}

// An origin is what a part of an expression is made of: nothing secret, the value at a path of a variable, or secrets.
type origin struct {
	made     bool // of secrets
	variable string
	path     []string
}

// bound holds the variables of macros.
type bound struct {
	name  string
	is    origin
	outer *bound
}

func (b *bound) find(name string) (origin, bool) {
	for ; b != nil; b = b.outer {
		if b.name == name {
			return b.is, true
		}
	}
	return origin{}, false
}

// A tracer follows secrets through one expression, and the variables that it uses.
type tracer struct {
	secrets   Secrets
	variables map[string]origin
	inside    map[string]bool // the variables whose values are being inspected
}

func newTracer(secrets Secrets) *tracer {
	return &tracer{secrets: secrets, variables: map[string]origin{}, inside: map[string]bool{}}
}

const variablesName = "variables"

func (t *tracer) owes(o origin) bool {
	return o.made || o.variable != "" && o.variable != variablesName && t.secrets.Has(o.variable, o.path)
}

// mixed returns the origin of a value that is made of several others.
func (t *tracer) mixed(all ...origin) origin {
	return origin{made: slices.ContainsFunc(all, t.owes)}
}

func (o origin) at(step string) origin {
	if o.variable == "" {
		return o
	}
	return origin{variable: o.variable, path: append(slices.Clone(o.path), step)}
}

// of returns the origin of an expression.
func (t *tracer) of(e ast.Expr, scope *bound) origin {
	switch e.Kind() {
	case ast.IdentKind:
		name := strings.TrimPrefix(e.AsIdent(), ".")
		if o, ok := scope.find(name); ok {
			return o
		}
		return origin{variable: name}
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			o := t.of(s.Operand(), scope)
			return origin{made: o.made}
		}
		return t.member(t.of(s.Operand(), scope), s.FieldName())
	case ast.CallKind:
		return t.ofCall(e.AsCall(), scope)
	case ast.ListKind:
		return t.ofAll(e.AsList().Elements(), scope)
	case ast.MapKind:
		var all []origin
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			all = append(all, t.of(m.Key(), scope), t.of(m.Value(), scope))
		}
		return t.mixed(all...)
	case ast.StructKind:
		var all []origin
		for _, field := range e.AsStruct().Fields() {
			all = append(all, t.of(field.AsStructField().Value(), scope))
		}
		return t.mixed(all...)
	case ast.ComprehensionKind:
		return t.ofMacro(e.AsComprehension(), scope)
	case ast.LiteralKind:
		return origin{}
	}
	return origin{made: true}
}

func (t *tracer) ofAll(all []ast.Expr, scope *bound) origin {
	origins := make([]origin, len(all))
	for i, one := range all {
		origins[i] = t.of(one, scope)
	}
	return t.mixed(origins...)
}

// member returns the origin of a field. A variable of the policy has the origin of its expression.
func (t *tracer) member(o origin, field string) origin {
	if o.variable != variablesName || len(o.path) > 0 {
		return o.at(field)
	}
	if known, ok := t.variables[field]; ok {
		return known
	}
	t.variables[field] = origin{made: true} // for variables that use each other in a circle
	if text, ok := t.secrets.Variable(field); ok {
		if e := parsed(text); e != nil {
			t.variables[field] = t.of(e, nil)
		}
	}
	return t.variables[field]
}

func (t *tracer) ofCall(call ast.CallExpr, scope *bound) origin {
	all := call.Args()
	if call.IsMemberFunction() {
		all = append([]ast.Expr{call.Target()}, all...)
	}
	origins := make([]origin, len(all))
	for i, one := range all {
		origins[i] = t.of(one, scope)
	}
	switch call.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		inside := origins[0]
		step, known := literal(all[1])
		switch {
		case t.owes(origins[1]):
			return origin{made: true}
		case known:
			return t.member(inside, step)
		case inside.variable == variablesName && len(inside.path) == 0:
			return origin{made: true}
		}
		return inside.at(AnyPart)
	case "size":
		if len(all) == 1 && t.hasKeys(origins[0]) {
			return origin{}
		}
	case operators.In:
		if t.hasKeys(origins[1]) {
			return t.mixed(origins[0])
		}
	}
	return t.mixed(origins...)
}

// hasKeys reports whether an origin is a map whose keys are not secret.
func (t *tracer) hasKeys(o origin) bool {
	return o.variable != "" && t.secrets.HasKeys(o.variable, o.path)
}

// ofMacro returns the origin of the result of a macro for the parts of a list or map.
func (t *tracer) ofMacro(c ast.ComprehensionExpr, scope *bound) origin {
	list := t.of(c.IterRange(), scope)
	first, second := origin{made: list.made}, origin{made: list.made}
	if list.variable != "" && list.variable != variablesName {
		second = list.at(AnyPart)
		switch {
		case t.hasKeys(list):
			first = origin{} // a key
		case !c.HasIterVar2():
			first = second
		}
	}
	inner := &bound{c.IterVar(), first, scope}
	if c.HasIterVar2() {
		inner = &bound{c.IterVar2(), second, inner}
	}
	sum := t.of(c.AccuInit(), scope)
	if step := c.LoopStep(); step.Kind() != ast.IdentKind || step.AsIdent() != c.AccuVar() { // otherwise it only names a value, as optMap does
		loop := &bound{c.AccuVar(), sum, inner}
		sum = t.mixed(sum, t.of(c.LoopStep(), loop), t.of(c.LoopCondition(), loop))
	}
	return t.of(c.Result(), &bound{c.AccuVar(), sum, scope})
}

// literal returns the text of a literal string or number in the expression.
func literal(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	value := e.AsLiteral()
	text, ok := value.ConvertToType(types.StringType).Value().(string)
	return text, ok
}

// without returns the value of e without what comes from secrets.
func (t *tracer) without(e ast.Expr, scope *bound, value any) any {
	o := t.of(e, scope)
	switch {
	case !t.owes(o):
		return value
	case !o.made && !slices.Contains(o.path, AnyPart):
		return t.secrets.Part(o.variable, o.path, value)
	}
	switch e.Kind() {
	case ast.SelectKind:
		if s := e.AsSelect(); s.Operand().Kind() == ast.IdentKind && s.Operand().AsIdent() == variablesName {
			name := s.FieldName()
			if text, ok := t.secrets.Variable(name); ok && !t.inside[name] {
				if of := parsed(text); of != nil {
					t.inside[name] = true
					defer delete(t.inside, name)
					return t.without(of, nil, value)
				}
			}
		}
	case ast.ListKind:
		if all, ok := value.([]any); ok && len(all) == e.AsList().Size() && len(e.AsList().OptionalIndices()) == 0 {
			hidden := make([]any, len(all))
			for i, one := range all {
				hidden[i] = t.without(e.AsList().Elements()[i], scope, one)
			}
			return hidden
		}
	case ast.MapKind, ast.StructKind:
		if fields, ok := value.(map[string]any); ok {
			if hidden := t.fieldsWithout(e, scope, fields); hidden != nil {
				return hidden
			}
		}
	case ast.CallKind:
		if text, ok := value.(string); ok && e.AsCall().FunctionName() == operators.Add {
			return t.textWithout(e, text)
		}
	}
	return t.secrets.Made(value)
}

// fieldsWithout returns the fields of a map or struct without secrets. It returns nil unless all keys are literals.
func (t *tracer) fieldsWithout(e ast.Expr, scope *bound, fields map[string]any) map[string]any {
	hidden := make(map[string]any, len(fields))
	for key, value := range fields {
		hidden[key] = value // a field without an expression comes from elsewhere
	}
	if e.Kind() == ast.StructKind {
		for _, field := range e.AsStruct().Fields() {
			f := field.AsStructField()
			if value, ok := fields[f.Name()]; ok {
				hidden[f.Name()] = t.without(f.Value(), scope, value)
			}
		}
		return hidden
	}
	for _, entry := range e.AsMap().Entries() {
		m := entry.AsMapEntry()
		key, ok := literal(m.Key())
		if !ok {
			return nil
		}
		if value, ok := fields[key]; ok {
			hidden[key] = t.without(m.Value(), scope, value)
		}
	}
	return hidden
}

// textWithout returns a text that was concatenated with +, without secrets. Literals at the beginning and at the end
// stay.
func (t *tracer) textWithout(e ast.Expr, text string) any {
	all := summands(e)
	head, tail := "", ""
	for len(all) > 0 {
		part, ok := literal(all[0])
		if !ok || !strings.HasPrefix(text, part) {
			break
		}
		head, text, all = head+part, text[len(part):], all[1:]
	}
	for len(all) > 0 {
		part, ok := literal(all[len(all)-1])
		if !ok || !strings.HasSuffix(text, part) {
			break
		}
		tail, text, all = part+tail, text[:len(text)-len(part)], all[:len(all)-1]
	}
	made, ok := t.secrets.Made(text).(string)
	if !ok {
		made = ""
	}
	return head + made + tail
}

func summands(e ast.Expr) []ast.Expr {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Add && len(e.AsCall().Args()) == 2 {
		return append(summands(e.AsCall().Args()[0]), summands(e.AsCall().Args()[1])...)
	}
	return []ast.Expr{e}
}
