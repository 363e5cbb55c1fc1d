package matcher

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// W-121: one condition that is false outweighs those that fail, of which the first is named.
func TestCriterion(t *testing.T) {
	no := errors.New("no such key: labels")
	for _, c := range []struct {
		name   string
		result Result
		want   trace.Criterion
		text   string
	}{
		{"a rule", Result{Applies: true, Decided: trace.Rules, Rule: 2},
			trace.Criterion{Part: trace.Rules, Rule: 2}, "rules[2]"},
		{"no rule", Result{Decided: trace.Rules, Rule: trace.NoRule},
			trace.Criterion{Part: trace.Rules, Rule: trace.NoRule}, "rules"},
		{"excluded", Result{Decided: trace.ExcludeRules, Rule: 0},
			trace.Criterion{Part: trace.ExcludeRules}, "excludeResourceRules[0]"},
		{"a selector", Result{Decided: trace.ObjectSelector, Rule: trace.NoRule},
			trace.Criterion{Part: trace.ObjectSelector, Rule: trace.NoRule}, "objectSelector"},
		{"false after an error", conditionsSaid(nil, said("a", false, no), said("b", true, nil), said("c", false, nil)),
			trace.Criterion{Part: trace.MatchConditions, Condition: "c"}, "matchConditions[c]"},
		{"only errors", conditionsSaid(nil, said("a", true, nil), said("b", false, no), said("c", false, no)),
			trace.Criterion{Part: trace.MatchConditions, Condition: "b", Failed: true}, "matchConditions[b]"},
		{"broken off after a false one", conditionsSaid(errors.New("out of budget"), said("a", false, nil)),
			trace.Criterion{Part: trace.MatchConditions, Failed: true}, "matchConditions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.result.Criterion()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("criterion (-want +got):\n%s", diff)
			}
			if got.String() != c.text {
				t.Errorf("it is called %q, want %q", got, c.text)
			}
		})
	}
}

// What is left of the budget is told with every condition, that included at which it was spent.
func TestExpressionsOfConditions(t *testing.T) {
	first, second := said("a", true, nil), said("b", false, errors.New("no such key: x"))
	first.Cost, second.Cost = 10, 5
	got := conditionsSaid(errors.New("out of budget"), first, second).Expressions()
	want := []trace.Expression{
		{Field: "matchConditions[0].expression", Name: "a", Text: "of a", Value: "true", Cost: 10, Budget: expression.ConditionsBudget},
		{Field: "matchConditions[1].expression", Name: "b", Text: "of b", Error: "no such key: x", Cost: 5, Budget: expression.ConditionsBudget - 10},
		{Field: "matchConditions[2].expression", Error: "out of budget", Budget: expression.ConditionsBudget - 15},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expressions (-want +got):\n%s", diff)
	}
}

func said(name string, value bool, err error) expression.Result {
	return expression.Result{Name: name, Expression: "of " + name, Value: value, Err: err}
}

func conditionsSaid(err error, all ...expression.Result) Result {
	return Result{Decided: trace.MatchConditions, Evaluation: expression.Evaluation{Results: all, Err: err}}
}
