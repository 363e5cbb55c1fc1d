package expression

import (
	"testing"

	"github.com/google/cel-go/cel"
)

// A field that only other releases have is used in these releases only if has() finds another such field, or does not
// find the field that this release has beside it.
func TestAwaits(t *testing.T) {
	env, err := cel.NewEnv(cel.OptionalTypes(), cel.Variable("o", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		expression string // uses o.b, which the release does not have
		absent     []string
		want       bool
	}{
		{"has(o.a) ? o.a : o.b", nil, true},
		{"has(o.a) ? o.b : o.a", nil, false},
		{"!has(o.a) ? o.b : o.a", nil, true},
		{"has(o.a) || o.b", nil, true},
		{"o.b || has(o.a)", nil, true},
		{"!has(o.a) || o.b", nil, false},
		{"!has(o.a) && o.c && o.b", nil, true},
		{"(has(o.a) || has(o.c)) || o.b", nil, true},
		{"(has(o.a) && has(o.c)) || o.b", nil, false},
		{"o.?a.orValue(o.b)", nil, true},
		{"o.?a.hasValue() ? 1 : o.b", nil, true},
		{"[1].all(x, has(o.a) || o.b)", nil, true},
		{"has(o.c.a) || o.b", nil, false}, // not beside it
		{"o.a == 1 || o.b", nil, false},
		{"has(o.a) && o.b", []string{"o.a"}, true},
		{"has(o.c.a) ? o.b : 1", []string{"o.c.a"}, true},
		{"!has(o.a) && o.b", []string{"o.a"}, false},
	} {
		ast, issues := env.Parse(tt.expression)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		absent := map[string]bool{"o.b": true}
		for _, path := range tt.absent {
			absent[path] = true
		}
		u := usesOf(ast.NativeRep().Expr())
		found := false
		for id, path := range u.paths {
			if path != "o.b" {
				continue
			}
			found = true
			if got := u.awaits(id, absent); got != tt.want {
				t.Errorf("%s, without %v: awaits = %v, want %v", tt.expression, tt.absent, got, tt.want)
			}
		}
		if !found {
			t.Errorf("%s does not use o.b", tt.expression)
		}
	}
}
