package cases

import (
	"testing"

	"github.com/admsim/admsim/internal/scenario"
)

// The error for an expression that selects nothing suggests what was probably meant.
func TestHint(t *testing.T) {
	var all Names
	for _, s := range []scenario.Suite{
		{Name: "pods", Cases: []scenario.Case{{Name: "privileged"}, {Name: "outage", Matrix: scenario.Matrix{Faults: []string{"timeout"}}}}},
		{Name: "quota", Cases: []scenario.Case{{Name: "too many"}}},
	} {
		all = append(all, Of(&s)...)
	}
	for _, tt := range []struct{ reason, expression, want string }{
		{"a slash too many", "pods//priv", "a single slash is between suite and case; --run 'pods/priv' selects pods/privileged"},
		{"brackets without backslashes", "pods/outage[fault=timeout]", `brackets in names need backslashes; --run 'pods/outage\[fault=timeout\]' selects pods/outage`},
		{"the name of a case alone", "privileged", "the part before the first slash matches the suite; --run '/privileged' selects pods/privileged"},
		{"a slip in a suite", "podz", `did you mean "pods"?`},
		{"a slip in a case", "pods/priviledged", `did you mean "pods/privileged"?`},
		{"a case of another suite", "quota/privileged", "no suite has both this name and such a case; --run '/privileged' selects pods/privileged"},
		{"a known suite, an unknown case", "quota/xyz", "the cases there are quota/too many; admsim test --list lists all"},
		{"nothing like it", "xyz", "the suites are pods, quota; admsim test --list lists their cases"},
	} {
		if got := all.Hint(tt.expression); got != tt.want {
			t.Errorf("%s: Hint(%s) = %s, want %s", tt.reason, tt.expression, got, tt.want)
		}
	}
}
