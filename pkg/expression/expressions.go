package expression

import (
	"context"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Budget is what the validations of a policy and their messages may cost together, what
// its audit annotations may cost, and what each of its mutations may (W-286, W-319).
const Budget int64 = celconfig.RuntimeCELCostBudget

// ConditionsBudget is what the match conditions of a webhook or policy may cost together
// (W-120).
const ConditionsBudget int64 = celconfig.RuntimeCELCostBudgetMatchConditions

// Expressions are those of one policy that serve the same purpose: its validations, or
// their messages, or its audit annotations.
type Expressions struct {
	scope    *Scope
	texts    []string
	want     want
	declares declarations
	view     view
}

// Validations returns the expressions of a policy's validations; each yields a bool.
func (s *Scope) Validations(texts []string) *Expressions {
	return &Expressions{
		scope: s, texts: texts, want: wantBool,
		declares: declarations{HasAuthorizer: true},
		view:     view{authorizer: true, namespace: exposedNamespace},
	}
}

// Messages returns the messageExpressions of a policy's validations, empty if there is
// none; each yields a string. They do not know `authorizer` (W-284).
func (s *Scope) Messages(texts []string) *Expressions {
	return &Expressions{
		scope: s, texts: texts, want: wantString,
		view: view{namespace: exposedNamespace},
	}
}

// Annotations returns the valueExpressions of a policy's audit annotations; each yields a
// string or nil. They may name `authorizer`, but it is unbound (W-293), and they see all
// of the namespace: kubernetes/apiserver:pkg/admission/plugin/policy/validating/validator.go.
func (s *Scope) Annotations(texts []string) *Expressions {
	return &Expressions{
		scope: s, texts: texts, want: wantStringOrNull,
		declares: declarations{HasAuthorizer: true},
		view:     view{namespace: wholeNamespace},
	}
}

// Values are what expressions say of a request.
type Values struct {
	List []Value // in order; where Err is set, as far as it came
	Left int64   // of the budget
	Err  error   // the budget ran out, or the variables could not be prepared
}

// A Value is what one expression says of a request.
type Value struct {
	Expression string // empty if there is none
	Value      any    // bool, string or nil
	Err        error  // evaluating, or compiling, it failed
	Cost       int64  // with the variables that it was the first to use
}

// Evaluate evaluates all expressions in order, out of one budget.
func (x *Expressions) Evaluate(ctx context.Context, in Input, budget int64) Values {
	v := x.view
	v.resource = in.Resource
	e, err := newEvaluation(ctx, in, v, x.scope, budget)
	if err != nil {
		return Values{Err: err}
	}
	values := make([]Value, 0, len(x.texts))
	for _, text := range x.texts {
		if text == "" && x.want == wantString {
			values = append(values, Value{})
			continue
		}
		out, err := e.run(text, x.scope.compile(text, x.want, x.declares))
		if err != nil {
			return Values{List: values, Err: err}
		}
		values = append(values, Value{Expression: text, Value: native(out.value), Err: out.err, Cost: out.cost})
	}
	return Values{List: values, Left: e.budget}
}

// native is the value outside of CEL.
func native(v ref.Val) any {
	if v == nil || v == types.NullValue {
		return nil
	}
	return v.Value()
}
