package formats

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/suite/outcome"
)

func written(t testing.TB, f Format, r *outcome.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSuites(&b, f, r, document.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Each failed expectation, error and problem is reported once, at its place.
func TestTroubles(t *testing.T) {
	var got []string
	for _, s := range reporttest.Results(t).Suites {
		for _, one := range outcome.Troubles(s) {
			got = append(got, string(one.Sort)+" "+one.At.String()+" "+one.Title())
		}
	}
	want := []string{
		`suite-problem tests/pods.yaml:4 no request needed the backend of "a.example"`,
		"not-as-expected tests/pods.yaml:23 expect.allowed: want true, got false",
		"not-as-expected tests/pods.yaml:24 expect.object: want metadata: {}, got " + reporttest.Hostile,
		"not-as-expected tests/pods.yaml:20 expect.message: want",
		"could-not-tell tests/pods.yaml:31 no such file",
		"could-not-tell tests/pods.yaml:32 " + reporttest.Hostile,
		"suite-warning tests/pods.yaml:5 100% of",
		"could-not-tell tests/broken.yaml the world has no namespaces",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
