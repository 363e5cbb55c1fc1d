package expression_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/expression"
)

func TestPredicate(t *testing.T) {
	for _, tt := range []struct {
		reason, expression string
		call               int
		want               bool
		err                string
	}{
		{"the number of the call", `call == 2`, 2, true, ""},
		{"another number", `call == 2`, 1, false, ""},
		{"variables of match conditions", `request.userInfo.username == 'ann' && object.data.a == '1' && oldObject == null`, 1, true, ""},
		{"a missing field", `object.data.b == '1'`, 1, false, `expression 'object.data.b == '1'' resulted in error: no such key: b`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			p, err := compiler("1.36").Predicate(tt.expression)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Eval(t.Context(), create(configMap("c", map[string]string{"a": "1"})), tt.call)
			if got != tt.want || text(err) != tt.err {
				t.Errorf("Eval() = %v, %v, want %v, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestPredicateThatDoesNotCompile(t *testing.T) {
	for _, tt := range []struct{ reason, expression, want string }{
		{"an unknown name", `1 + 1 == colour`, `1:10: undeclared reference to 'colour' (in container '')
  | 1 + 1 == colour
  |          ^`},
		{"in the second line", "true &&\n  call == 'x'", `2:8: found no matching overload for '_==_' applied to '(int, string)'
  |   call == 'x'
  |        ^`},
		{"two problems", `a && b`, `1:1: undeclared reference to 'a' (in container '')
  | a && b
  | ^
1:6: undeclared reference to 'b' (in container '')
  | a && b
  |      ^`},
		{"not a bool", `call`, "must evaluate to bool but got int\n  | call"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			_, err := compiler("1.36").Predicate(tt.expression)
			var compile *expression.CompileError
			if !errors.As(err, &compile) {
				t.Fatalf("Predicate() = %v, want a CompileError", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error differs:\n%s", diff)
			}
		})
	}
}

// Only predicates see the number of the call.
func TestConditionsDoNotSeeCalls(t *testing.T) {
	c := compiler("1.36").Conditions(conditions(`call == 1`))
	if got := c.Evaluate(t.Context(), create(nil)); got.Failure() == nil {
		t.Error("`call` compiles in a match condition")
	}
}
