package expression_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func errorTexts(errs field.ErrorList) []string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return texts
}

// The messages are those of recordings (W-081, W-332).
func TestCheckConditions(t *testing.T) {
	type condition = admissionregistrationv1.MatchCondition
	named := func(names ...string) []condition {
		var list []condition
		for _, n := range names {
			list = append(list, condition{Name: n, Expression: "true"})
		}
		return list
	}
	many := make([]condition, 65)
	for i := range many {
		many[i] = condition{Name: "n" + string(rune('A'+i%26)) + string(rune('a'+i/26)), Expression: "true"}
	}
	const at = "webhooks[0].matchConditions"

	for _, tt := range []struct {
		reason string
		list   []condition
		want   []string
	}{
		{"fine", conditions("true", "object != null"), nil},
		{"white space around an expression does not count", conditions(" \ttrue\n"), nil},
		{"not more than 64", many[:64], nil},
		{"too many", many, []string{at + ": Too many: 65: must have at most 64 items"}},
		{"no expression", conditions("  "), []string{at + "[0].expression: Required value"}},
		{"no name", named(""), []string{at + "[0].name: Required value"}},
		{"neither", []condition{{}}, []string{at + "[0].expression: Required value", at + "[0].name: Required value"}},
		{"a name with a prefix", named("example.com/a"), nil},
		{"a bad name", named("bad name"), []string{at + `[0].name: Invalid value: "bad name": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`}},
		{"a name twice", named("a", "b", "a"), []string{at + `[2].name: Duplicate value: "a"`}},
		{"not a bool", conditions("1"), []string{at + `[0].expression: Invalid value: "1": must evaluate to bool but got int`}},
		{"dyn is not a bool", conditions("dyn(object.data.a)"), []string{at + `[0].expression: Invalid value: "dyn(object.data.a)": must evaluate to bool but got dyn`}},
		{"a syntax error", conditions("1 +"), []string{at + `[0].expression: Invalid value: "1 +": compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}` + "\n | 1 +\n | ...^"}},
		{"an unknown name", conditions("nothing.here"), []string{at + `[0].expression: Invalid value: "nothing.here": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '')` + "\n | nothing.here\n | ^"}},
		{"an unknown field", conditions("request.colour == 'red'"), []string{at + `[0].expression: Invalid value: "request.colour == 'red'": compilation failed: ERROR: <input>:1:8: undefined field 'colour'` + "\n | request.colour == 'red'\n | .......^"}},
		{"two errors in one", conditions("nope && nada"), []string{at + `[0].expression: Invalid value: "nope && nada": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')` +
			"\n | nope && nada\n | ^\nERROR: <input>:1:9: undeclared reference to 'nada' (in container '')\n | nope && nada\n | ........^"}},
		{"a constant regular expression", conditions("'x'.matches('(')"), []string{at + `[0].expression: Invalid value: "'x'.matches('(')": compilation failed: ERROR: <input>:1:13: invalid matches argument` + "\n | 'x'.matches('(')\n | ............^"}},
		{"a list of several types", conditions("[1, 'a'].size() == 2"), []string{at + `[0].expression: Invalid value: "[1, 'a'].size() == 2": compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'` + "\n | [1, 'a'].size() == 2\n | ....^"}},
		{"int and double", conditions("1 == 1.0"), []string{at + `[0].expression: Invalid value: "1 == 1.0": compilation failed: ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, double)'` + "\n | 1 == 1.0\n | ..^"}},
		{"params", conditions("params.x == 1"), []string{at + `[0].expression: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')` + "\n | params.x == 1\n | ^"}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			path := field.NewPath("webhooks").Index(0).Child("matchConditions")
			got := errorTexts(compiler("1.36").CheckConditions(tt.list, path, nil))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("CheckConditions() differs:\n%s", diff)
			}
		})
	}
}

// Expressions may not use what only this release knows, unless they were stored before (W-325).
func TestNewExpressionsMustSuitTheReleaseBefore(t *testing.T) {
	path := field.NewPath("c")
	list := conditions(`[2, 1].sort() == [1, 2]`) // since 1.34
	if errs := compiler("1.34").CheckConditions(list, path, nil); len(errs) != 1 {
		t.Errorf("1.34: %v, want one error", errs)
	}
	if errs := compiler("1.34").CheckConditions(list, path, sets.New(list[0].Expression)); len(errs) != 0 {
		t.Errorf("1.34, stored before: %v, want none", errs)
	}
	if errs := compiler("1.36").CheckConditions(list, path, nil); len(errs) != 0 {
		t.Errorf("1.36: %v, want none", errs)
	}
}
