package scaffold_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scaffold"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/internal/worlds"
)

const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: require-team}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "has(object.metadata.labels) && 'team' in object.metadata.labels", message: no team}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec:
  policyName: require-team
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {env: prod}}}
`

// A Go program makes a suite without the command: a case for the policy, in a namespace that its binding selects.
func TestFromManifests(t *testing.T) {
	folder := t.TempDir()
	manifests := filepath.Join(folder, "policy.yaml")
	if err := os.WriteFile(manifests, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	var notes []string
	b := scaffold.New([]string{manifests}, scaffold.Options{
		Name:   "team",
		Output: filepath.Join(folder, "admission"),
		Load: func(ctx context.Context, paths []string, _ bool) (*worlds.Loaded, error) {
			found, err := scenario.Load(paths, scenario.Options{})
			if err != nil {
				return nil, err
			}
			bag, err := scenario.Sort(found, scenario.Options{})
			if err != nil {
				return nil, err
			}
			w, _, err := worlds.NewLoaded(ctx, bag, worlds.Options{World: world.Options{Controllers: true}})
			return w, err
		},
		Warn: func(warnings ...*scenario.Error) {
			for _, w := range warnings {
				t.Error(w)
			}
		},
		Note: func(text string) { notes = append(notes, text) },
	})
	if err := b.FromManifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, golden, err := b.Files()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"admsim.yaml", "testdata/configmap.yaml", "world/namespace-sample-1.yaml"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" || len(golden) > 0 {
		t.Errorf("files (-want +got):\n%s\ngolden: %v", diff, golden)
	}
	for _, part := range []string{"create-configmap-denied-by-require-team", "no team", "policy: require-team", "- ../policy.yaml"} {
		if !strings.Contains(string(files["admsim.yaml"]), part) {
			t.Errorf("the suite does not have %q:\n%s", part, files["admsim.yaml"])
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "testdata/configmap.yaml is in namespace sample-1") {
		t.Errorf("notes: %q", notes)
	}
}
