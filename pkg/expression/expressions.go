package expression

import (
	"context"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Budget is the maximum total cost of the validations of a policy and their messages, of its audit annotations, and of
// each of its mutations (W-286, W-319).
const Budget int64 = celconfig.RuntimeCELCostBudget

// ConditionsBudget is the maximum total cost of the match conditions of a webhook or policy (W-120).
const ConditionsBudget int64 = celconfig.RuntimeCELCostBudgetMatchConditions

// Expressions are the expressions of one policy that serve the same purpose: its validations, or their
// messages, or its audit annotations.
type Expressions struct {
	scope    *Scope
	texts    []string
	want     want
	declares declarations
	view     view
}

// Validations returns the expressions of a policy's validations. Each yields a bool.
func (s *Scope) Validations(texts []string) *Expressions {
	return &Expressions{
		scope: s, texts: texts, want: wantBool,
		declares: declarations{HasAuthorizer: true},
		view:     view{authorizer: true, namespace: exposedNamespace},
	}
}

// Messages returns the messageExpressions of a policy's validations; an empty text stands for none. Each yields a
// string. They do not see `authorizer` (W-284).
func (s *Scope) Messages(texts []string) *Expressions {
	return &Expressions{
		scope: s, texts: texts, want: wantString,
		view: view{namespace: exposedNamespace},
	}
}

// Annotations returns the valueExpressions of a policy's audit annotations. Each yields a string or nil. They may refer
// to `authorizer`, but it has no value (W-293), and they see the whole namespace:
// kubernetes/apiserver:pkg/admission/plugin/policy/validating/validator.go.
func (s *Scope) Annotations(texts []string) *Expressions {
	return &Expressions{
		scope: s, texts: texts, want: wantStringOrNull,
		declares: declarations{HasAuthorizer: true},
		view:     view{namespace: wholeNamespace},
	}
}

// Values are the results of expressions.
type Values struct {
	List []Value // in order; if Err is set, of those that were evaluated
	Left int64   // what is left of the budget
	Err  error   // the budget ran out, or the variables could not be prepared
}

// A Value is the result of one expression.
type Value struct {
	Expression string // empty if there is none
	Value      any    // bool, string or nil
	Err        error  // evaluating or compiling it failed
	Cost       int64  // includes the variables that it was the first to use
}

// Evaluate evaluates all expressions in order, with one budget.
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

// native returns the value outside of CEL.
func native(v ref.Val) any {
	if v == nil || v == types.NullValue {
		return nil
	}
	return v.Value()
}
