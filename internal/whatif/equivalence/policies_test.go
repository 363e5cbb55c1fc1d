package equivalence_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/admsim/admsim/internal/report/document"
)

// Policies like those that projects publish to replace webhooks are found to be equivalent to the webhooks, and each
// slip in one of them is detected: "this => that" replaces this in the policy by that. With SLIPS=all, all slips are
// tried, otherwise one in six.
func TestPolicies(t *testing.T) {
	files, err := filepath.Glob("testdata/policies/*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	n := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			section := func(name string) string {
				i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
				if i < 0 {
					t.Fatalf("no %s", name)
				}
				return string(archive.Files[i].Data)
			}
			webhook, policy := side(t, "webhook", section("webhook.yaml")), section("policy.yaml")
			if e := compare(t, webhook, side(t, "policy", policy)); e.Verdict != document.Equivalent {
				t.Errorf("the policy is %s", shown(e))
			}
			for line := range strings.Lines(section("slips")) {
				before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " =>")
				after = strings.TrimPrefix(after, " ")
				if !ok || !strings.Contains(policy, before) {
					t.Errorf("the policy has no %q", before)
					continue
				}
				if n++; n%6 != 0 && os.Getenv("SLIPS") != "all" {
					continue
				}
				e := compare(t, webhook, side(t, "policy", strings.ReplaceAll(policy, before, after)))
				if e.Verdict != document.DifferentDecisions && e.Verdict != document.DifferentRequests {
					t.Errorf("%q for %q is found to be %s", after, before, shown(e))
				}
			}
		})
	}
}
