package suite

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/expect"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/report"
)

var admin = authenticationv1.UserInfo{Username: "kubernetes-admin", Groups: []string{"system:masters", "system:authenticated"}}

// All suites of an archive run together; the file want has the results.
func TestSuites(t *testing.T) {
	golden.Folders(t, "testdata/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		one := transcript(runAll(t.Context(), load(t, files), Options{User: admin, Show: shownBriefly, Jobs: 1}))
		eight := transcript(runAll(t.Context(), load(t, files), Options{User: admin, Show: shownBriefly, Jobs: 8}))
		if diff := cmp.Diff(one, eight); diff != "" {
			t.Errorf("the results depend on the number of jobs (-one +eight):\n%s", diff)
		}
		return one
	})
}

func load(t testing.TB, files fs.FS) (all []scenario.Suite) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !scenario.IsSuiteFile(name) {
			return err
		}
		suites, err := scenario.LoadSuites(name, scenario.Options{FS: files, Root: "."})
		all = append(all, suites...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// transcript returns everything in the results, one item per line.
func transcript(r *outcome.Results) string {
	var b strings.Builder
	for _, s := range r.Suites {
		if s.Err != nil {
			fmt.Fprintf(&b, "%s: %v\n", s.Name, s.Err)
		}
		for _, c := range s.Cases {
			fmt.Fprintf(&b, "%s %s", c.Outcome, c.FullName())
			if c.Elapsed > 0 {
				fmt.Fprintf(&b, " after %s", c.Elapsed)
			}
			fmt.Fprintln(&b)
			if c.Err != nil {
				fmt.Fprintf(&b, "  error: %v\n", c.Err)
			}
			for i, a := range c.Answers {
				if len(c.Answers) > 1 {
					shown, _ := a.Show() // see shownBriefly
					fmt.Fprintf(&b, "  %d %s: %d by %s\n", i, a.Label, shown.Code, shown.Request.User.Username)
				}
			}
			for _, f := range c.Failures {
				fmt.Fprintf(&b, "  %s %s: want %s, got %s\n", f.Source, f.Path, f.Want, f.Got)
				if f.Hint != "" {
					fmt.Fprintf(&b, "    hint: %s\n", f.Hint)
				}
				for line := range strings.Lines(f.Diff) {
					fmt.Fprintf(&b, "    %s", line)
				}
			}
		}
		for _, p := range s.Problems {
			fmt.Fprintf(&b, "problem of %s: %v\n", s.Name, p)
		}
	}
	for _, c := range r.Coverage.Items {
		fmt.Fprintf(&b, "%d %s %s\n", c.Times, c.Part, strings.Join(strings.Fields(c.Of+" "+c.What+" "+c.Branch), " "))
	}
	return b.String()
}

// shownBriefly shows what a transcript contains of an answer.
func shownBriefly(a expect.Answer) outcome.Show {
	r := &report.Result{Code: a.Result.Code}
	r.Request.User = a.Asked.API.User
	if a.Asked.Review != nil {
		r.Request.User = a.Asked.Review.User
	}
	return func() (*document.Answer, error) { return &document.Answer{Result: r}, nil }
}

// A case that is not selected does not run, and then unused backends are not reported.
func TestSelect(t *testing.T) {
	files := fstest.MapFS{"a_admsim.yaml": {Data: []byte(`
apiVersion: admsim.dev/v1alpha1
kind: Suite
backends: [{webhook: nobody, mock: [{}]}]
cases:
- {name: one, request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}}, expect: {}}
- {name: two, request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}}, expect: {allowed: false}}
- {name: three, request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}}, expect: {}}
`)}}
	suites := load(t, files)
	var progress []string
	r := runAll(context.Background(), suites, Options{User: admin, Select: func(_, name string) bool { return name != "one" }, FailFast: true,
		Progress: func(done, of int) { progress = append(progress, fmt.Sprintf("%d of %d", done, of)) }, Jobs: 1})
	if diff := cmp.Diff("failed a/two\n  a_admsim.yaml:7 expect.allowed: want false, got true\nskipped a/three\n", transcript(r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 of 2"}, progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}
