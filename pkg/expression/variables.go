package expression

import (
	"context"
	"errors"
)

// A Variable is one variable of a policy, with its value for a request.
type Variable struct {
	Name, Expression string

	JSON string // the value; empty if there is none, or JSON cannot hold it
	Err  error
	Cost int64 // includes the variables that were not evaluated before
}

// Variables evaluates all variables of the policy, in order. The policy itself only evaluates those that an expression
// uses; this is for showing them.
func (s *Scope) Variables(ctx context.Context, in Input) []Variable {
	list := make([]Variable, len(s.variables))
	for i, v := range s.variables {
		list[i] = Variable{Name: v.Name, Expression: v.Expression}
	}
	if len(list) == 0 {
		return nil
	}
	v := view{resource: in.Resource, authorizer: true, namespace: exposedNamespace}
	e, err := newEvaluation(ctx, in, v, s, Budget)
	for i := range list {
		if err != nil {
			list[i].Err = err
			continue
		}
		text := "variables." + list[i].Name
		var out outcome
		if out, err = e.run(text, s.compile(text, wantAnything, declarations{HasAuthorizer: true})); err != nil {
			list[i].Err = err
			continue
		}
		list[i].Cost = out.cost
		if list[i].Err = out.err; out.err != nil {
			list[i].Err = errors.Unwrap(out.err) // it names the text made up above
			continue
		}
		if value, err := jsonOf(out.value); err == nil {
			list[i].JSON = string(value)
		}
	}
	return list
}
