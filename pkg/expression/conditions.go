package expression

import (
	"context"

	"github.com/google/cel-go/common/types"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

// Conditions are the match conditions of one webhook, or of one policy.
type Conditions struct {
	list    []admissionregistrationv1.MatchCondition
	compile func(expression string) program
	scope   *Scope // nil for a webhook's
	dialect *dialect
}

// Conditions returns the match conditions of a webhook. They see neither params nor variables (W-117).
func (c *Compiler) Conditions(list []admissionregistrationv1.MatchCondition) *Conditions {
	return &Conditions{list: list, dialect: c.hooks, compile: func(expression string) program {
		return c.hooks.compile(source{text: expression, want: wantBool}, declarations{HasAuthorizer: true}, ofRelease)
	}}
}

// An Evaluation is the result of match conditions for a request. The consequences are up to the caller and the failure
// policy (W-121).
type Evaluation struct {
	Results []Result // of the conditions, in order; if Err is set, of those that were evaluated
	Err     error    // the budget ran out, or the variables could not be prepared
}

// A Result is the result of one condition.
type Result struct {
	Name       string
	Expression string
	Value      bool
	Err        error // evaluating or compiling it failed
	Cost       int64
}

// Len returns the number of conditions.
func (c *Conditions) Len() int { return len(c.list) }

// Evaluate evaluates all conditions, with one budget. A false condition does not end the evaluation (W-120).
func (c *Conditions) Evaluate(ctx context.Context, in Input) Evaluation {
	if len(c.list) == 0 {
		return Evaluation{}
	}
	v := view{resource: in.Request.Resource, authorizer: true, converters: c.dialect.converters} // not in.Resource (W-118), no namespace (W-119)
	e, err := newEvaluation(ctx, in, v, c.scope, ConditionsBudget)
	if err != nil {
		return Evaluation{Err: err}
	}
	results := make([]Result, 0, len(c.list))
	for _, condition := range c.list {
		out, err := e.run(condition.Expression, c.compile(condition.Expression))
		if err != nil {
			return Evaluation{Results: results, Err: err}
		}
		results = append(results, Result{
			Name:       condition.Name,
			Expression: condition.Expression,
			Value:      out.err == nil && out.value != types.False,
			Err:        out.err,
			Cost:       out.cost,
		})
	}
	return Evaluation{Results: results}
}

// False returns the first condition that is false. ok is false if there is none, or if the evaluation was aborted.
func (e Evaluation) False() (Result, bool) {
	if e.Err != nil {
		return Result{}, false
	}
	for _, r := range e.Results {
		if r.Err == nil && !r.Value {
			return r, true
		}
	}
	return Result{}, false
}

// Failure returns what went wrong, with the server's wording: one error as it is, several as a list (W-122). It is nil
// if nothing went wrong.
func (e Evaluation) Failure() error {
	if e.Err != nil {
		return e.Err
	}
	var failures []error
	for _, r := range e.Results {
		if r.Err != nil {
			failures = append(failures, r.Err)
		}
	}
	return utilerrors.NewAggregate(failures)
}
