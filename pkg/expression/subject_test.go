package expression_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	authorizationv1 "k8s.io/api/authorization/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Conditions of authorization webhooks compile as on real servers (AU-62a).
func TestCompileSubject(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/subjects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	expressions := strings.Split(strings.TrimSpace(string(archive.Files[0].Data)), "\n")
	for _, file := range archive.Files[1:] {
		release, err := kubeversion.Parse(file.Name)
		if err != nil {
			t.Fatal(err)
		}
		compiler := expression.New(release)
		var got strings.Builder
		for _, text := range expressions {
			_, err := compiler.CompileSubject(text)
			if err == nil {
				continue
			}
			var wrong *apiservercel.Error
			if !errors.As(err, &wrong) {
				t.Fatalf("%s: %s: %v", file.Name, text, err)
			}
			got.WriteString(text + "\n")
			for line := range strings.SplitSeq(wrong.Detail, "\n") {
				got.WriteString("    " + line + "\n")
			}
		}
		if diff := cmp.Diff(string(file.Data), got.String()); diff != "" {
			t.Errorf("%s (-server +admsim):\n%s", file.Name, diff)
		}
	}
}

// Conditions are evaluated with the library of the release as well: up to 1.36, a long quantity changes when something is
// added to it (W-348).
func TestEvalSubjectOfRelease(t *testing.T) {
	for version, want := range map[string]bool{"1.30": true, "1.36": true, "1.37": false} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		p, err := expression.New(release).Predicate("[quantity('1234567890123456789012')].all(q, q.add(1).compareTo(q) == 0)")
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.EvalSubject(t.Context(), &authorizationv1.SubjectAccessReview{})
		if got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", version, got, err, want)
		}
	}
}
