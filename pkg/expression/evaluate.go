package expression

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/endless"
	"github.com/admsim/admsim/internal/hint"
)

// An evaluation runs expressions one after the other with the same variables and one budget:
// kubernetes/apiserver:pkg/admission/plugin/cel/activation.go. The limit for a single expression is part of its
// program.
type evaluation struct {
	ctx        context.Context // of the request
	activation *activation
	budget     int64 // what is left

	variables *composed // of a policy; nil if there are none
}

// newEvaluation prepares the variables of an evaluation. scope is nil for expressions outside of policies.
func newEvaluation(ctx context.Context, in Input, v view, scope *Scope, budget int64) (*evaluation, error) {
	if scope != nil {
		v.converters = scope.dialect.converters
	}
	bound, err := bind(in, v)
	if err != nil {
		return nil, err
	}
	e := &evaluation{ctx: ctx, activation: bound, budget: budget}
	if scope != nil {
		e.variables = &composed{}
		bound.variables = func() ref.Val { return e.variables.bind(scope.composition().compiler, bound) }
	}
	return e, nil
}

// errBudget ends an evaluation (W-123).
var errBudget = errors.New("validation failed due to running out of cost budget, no further validation rules will be run")

// An outcome is the result of one expression.
type outcome struct {
	value ref.Val
	err   error // of this expression alone
	cost  int64 // including the variables that were evaluated for it
}

// run evaluates one expression. The error ends the evaluation.
func (e *evaluation) run(text string, p program) (outcome, error) {
	if p.err != nil {
		return outcome{err: fmt.Errorf("compilation error: %w", p.err)}, nil
	}
	value, details, err := e.eval(text, p)
	var out outcome
	if e.variables != nil {
		out.cost = e.variables.takeCost()
	}
	if details == nil || details.ActualCost() == nil {
		return out, fmt.Errorf("runtime cost could not be calculated for expression: %s, no further expression will be run", text)
	}
	own := *details.ActualCost()
	if own > math.MaxInt64-uint64(out.cost) {
		return out, errBudget
	}
	out.cost += int64(own)
	if out.cost > e.budget {
		return out, errBudget
	}
	e.budget -= out.cost
	if err != nil {
		out.err = fmt.Errorf("expression '%s' resulted in error: %w", text, err)
		return out, nil
	}
	out.value = value
	return out, nil
}

// eval evaluates one expression within the time of the request. It panics with a [bug.Stop] if the server's answer
// cannot be known.
func (e *evaluation) eval(text string, p program) (value ref.Val, details *cel.EvalDetails, err error) {
	limit, stop := limitOf(e.ctx)
	defer stop()
	if !limit.during(func(ctx context.Context) {
		if e.variables != nil {
			e.variables.ctx = ctx
		}
		value, details, err = p.ContextEval(ctx, e.activation)
	}) {
		panic(limit.slow(text))
	}
	if errors.Is(err, endless.ErrInExpression) {
		panic(bug.Stop{Err: hint.Add(fmt.Errorf("the expression %s: %w", text, endless.ErrInExpression), endless.HintInExpression)})
	}
	return value, details, err
}
