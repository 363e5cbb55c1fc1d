package expression_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/expression"
)

func TestOperands(t *testing.T) {
	for _, tt := range []struct {
		reason, expression string
		want               []expression.Operand
	}{
		{"the value compared with a literal", `object.data.a == '2'`, []expression.Operand{{"object.data.a", `"1"`}}},
		{"both sides", `object.data.a == object.data.b`, []expression.Operand{{"object.data.a", `"1"`}, {"object.data.b", `"x"`}}},
		{"the false part of a conjunction", `object.data.a == '1' && call > 3 && object.data.b == 'x'`, []expression.Operand{{"call", "1"}}},
		{"both parts of a disjunction", `object.data.a == '2' || !(object.data.b == 'x')`, []expression.Operand{{"object.data.a", `"1"`}, {"object.data.b", `"x"`}}},
		{"the target and the arguments of a function", `object.data.a.startsWith(object.data.b)`, []expression.Operand{{"object.data.a", `"1"`}, {"object.data.b", `"x"`}}},
		{"the value that should have a field", `has(object.data.c)`, []expression.Operand{{"object.data", `{"a":"1","b":"x"}`}}},
		{"the list of a macro, with another macro in it", `[object.data.a, object.data.b].map(v, v + '!').all(v, v == '1!')`, []expression.Operand{{"[object.data.a, object.data.b].map(v, v + \"!\")", `["1!","x!"]`}}},
		{"a list written out", `object.data.a in ['2', '3']`, []expression.Operand{{"object.data.a", `"1"`}}},
		{"nothing but a literal", `false`, nil},
		{"a part that has no value", `object.data.?c.hasValue()`, nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			p, err := compiler("1.36").Predicate(tt.expression)
			if err != nil {
				t.Fatal(err)
			}
			got := p.Operands(t.Context(), create(configMap("c", map[string]string{"a": "1", "b": "x"})), 1)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
