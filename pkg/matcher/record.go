package matcher

import (
	"fmt"
	"strconv"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// Criterion returns the criterion that decided, for the trace.
func (r Result) Criterion() trace.Criterion {
	c := trace.Criterion{Part: r.Decided, Rule: r.Rule}
	if r.Decided == trace.MatchConditions {
		var one expression.Result
		one, c.Failed = decisive(r.Evaluation)
		c.Condition = one.Name
	}
	return c
}

// decisive returns the condition because of which a hook does not apply: the first that is false, or else the first
// that failed. It is the zero value if the evaluation was aborted.
func decisive(e expression.Evaluation) (one expression.Result, failed bool) {
	if one, is := e.False(); is {
		return one, false
	}
	if e.Err != nil {
		return expression.Result{}, true
	}
	for _, r := range e.Results {
		if r.Err != nil {
			return r, true
		}
	}
	return expression.Result{}, true
}

// Expressions returns the results of the match conditions, for the trace. If the evaluation was aborted, the last one
// is the condition at which this happened.
func (r Result) Expressions() []trace.Expression {
	var list []trace.Expression
	budget := expression.ConditionsBudget
	field := func() string { return fmt.Sprintf("matchConditions[%d].expression", len(list)) }
	for _, c := range r.Evaluation.Results {
		x := trace.Expression{Field: field(), Name: c.Name, Text: c.Expression, Cost: c.Cost, Budget: budget}
		if c.Err != nil {
			x.Error = c.Err.Error()
		} else {
			x.Value = strconv.FormatBool(c.Value)
		}
		budget -= c.Cost
		list = append(list, x)
	}
	if err := r.Evaluation.Err; err != nil {
		list = append(list, trace.Expression{Field: field(), Error: err.Error(), Budget: budget})
	}
	return list
}
