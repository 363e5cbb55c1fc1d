package matcher

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// One condition that is false outweighs those that fail; of these, the first is named (W-121).
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
		{"false after an error", resultWith(nil, conditionResult("a", false, no), conditionResult("b", true, nil), conditionResult("c", false, nil)),
			trace.Criterion{Part: trace.MatchConditions, Condition: "c"}, "matchConditions[c]"},
		{"only errors", resultWith(nil, conditionResult("a", true, nil), conditionResult("b", false, no), conditionResult("c", false, no)),
			trace.Criterion{Part: trace.MatchConditions, Condition: "b", Failed: true}, "matchConditions[b]"},
		{"aborted after a false one", resultWith(errors.New("out of budget"), conditionResult("a", false, nil)),
			trace.Criterion{Part: trace.MatchConditions, Failed: true}, "matchConditions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.result.Criterion()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("criterion (-want +got):\n%s", diff)
			}
			if got.String() != c.text {
				t.Errorf("String() = %q, want %q", got, c.text)
			}
		})
	}
}

// The remaining budget is reported with every condition, including the one that exhausted it.
func TestExpressionsOfConditions(t *testing.T) {
	first, second := conditionResult("a", true, nil), conditionResult("b", false, errors.New("no such key: x"))
	first.Cost, second.Cost = 10, 5
	got := resultWith(errors.New("out of budget"), first, second).Expressions()
	want := []trace.Expression{
		{Field: "matchConditions[0].expression", Name: "a", Text: "of a", Value: "true", Cost: 10, Budget: expression.ConditionsBudget},
		{Field: "matchConditions[1].expression", Name: "b", Text: "of b", Error: "no such key: x", Cost: 5, Budget: expression.ConditionsBudget - 10},
		{Field: "matchConditions[2].expression", Error: "out of budget", Budget: expression.ConditionsBudget - 15},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expressions (-want +got):\n%s", diff)
	}
}

func conditionResult(name string, value bool, err error) expression.Result {
	return expression.Result{Name: name, Expression: "of " + name, Value: value, Err: err}
}

func resultWith(err error, all ...expression.Result) Result {
	return Result{Decided: trace.MatchConditions, Evaluation: expression.Evaluation{Results: all, Err: err}}
}
