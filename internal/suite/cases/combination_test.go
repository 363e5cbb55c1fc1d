package cases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		reason string
		matrix scenario.Matrix
		want   []string
	}{
		{"no matrix", scenario.Matrix{}, []string{"c"}},
		{"one axis", scenario.Matrix{Releases: []string{"1.35", "1.36"}}, []string{"c[kubernetesVersion=1.35]", "c[kubernetesVersion=1.36]"}},
		{"the last axis changes fastest", scenario.Matrix{FailurePolicies: []string{"Fail", "Ignore"}, Faults: []string{"timeout", "refuse"}}, []string{
			"c[failurePolicy=Fail,fault=timeout]", "c[failurePolicy=Fail,fault=refuse]",
			"c[failurePolicy=Ignore,fault=timeout]", "c[failurePolicy=Ignore,fault=refuse]",
		}},
	} {
		if diff := cmp.Diff(tt.want, namesIn(scenario.Case{Name: "c", Matrix: tt.matrix})); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.reason, diff)
		}
	}
}

// Something has to be expected for each combination of a matrix.
func TestUnexpected(t *testing.T) {
	when := func(axes ...string) scenario.Expect {
		e := scenario.Expect{When: map[string]string{}}
		for i := 0; i < len(axes); i += 2 {
			e.When[axes[i]] = axes[i+1]
		}
		return e
	}
	matrix := scenario.Matrix{FailurePolicies: []string{"Fail", "Ignore"}, Faults: []string{"timeout"}}
	for _, tt := range []struct {
		reason string
		expect []scenario.Expect
		want   string
	}{
		{"one for all", []scenario.Expect{when()}, ""},
		{"one each", []scenario.Expect{when("failurePolicy", "Fail"), when("failurePolicy", "Ignore")}, ""},
		{"a fault that all have", []scenario.Expect{when("fault", "timeout")}, ""},
		{"one is left", []scenario.Expect{when("failurePolicy", "Fail")}, `case "c": nothing is expected for [failurePolicy=Ignore,fault=timeout]`},
		{"nothing at all is reported where it is read", nil, ""},
	} {
		got := ""
		for _, err := range Unexpected(&scenario.Case{Name: "c", Matrix: matrix, Steps: []scenario.CaseStep{{Expect: tt.expect}}}) {
			got += err.(*scenario.Error).Message
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}
