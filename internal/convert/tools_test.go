package convert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
)

const (
	testPolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: images}
spec: {matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, validations: [{expression: "true"}]}
`
	testPod     = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a}]}\n"
	testBinding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Warn]}\n"
)

// The tests of each tool are converted, and what cannot be converted is listed. The scripts of the command run the
// results.
func TestRun(t *testing.T) {
	library := func(tests string) map[string]string {
		return map[string]string{
			"controls/C-1/policy.yaml": testPolicy, "controls/C-1/tests.json": tests,
			"test-resources/pod.yaml": testPod, "test-resources/policy-binding.yaml": testBinding,
		}
	}
	kaptest := func(tests string) map[string]string {
		return map[string]string{
			"kaptest.yaml": "policies: [policy.yaml]\nresources: [pod.yaml]\nvapTestSuites:\n" + tests,
			"policy.yaml":  testPolicy, "pod.yaml": testPod,
		}
	}
	vaptest := func(source, tests string) map[string]string {
		return map[string]string{
			"tests/a.yaml":         "apiVersion: admission.k8s.io/v1\nkind: ValidatingAdmissionPolicyTest\nmetadata: {name: images}\nspec:\n  source: {" + source + "}\n  testCases:\n" + tests,
			"policies/images.yaml": testPolicy, "pod.yaml": testPod,
		}
	}
	for _, tt := range []struct {
		reason, tool string
		files        map[string]string
		cases        []string // as NAME ALLOWED
		unsupported  []string
		err          string
	}{
		{reason: "an object as it is, and one with a field changed", tool: "cel-admission-library",
			files: library(`[{"name": "a", "template": "pod.yaml", "expected": "pass"},
{"name": "b", "template": "pod.yaml", "expected": "fail", "field_change_list": ["spec.hostPID=true"]}]`),
			cases: []string{"a allowed", "b denied"}},
		{reason: "names are unique", tool: "cel-admission-library",
			files: library(`[{"name": "a", "template": "pod.yaml", "expected": "pass"}, {"name": "a", "template": "pod.yaml", "expected": "pass"}]`),
			cases: []string{"a allowed", "a (2) allowed"}},
		{reason: "what cannot be converted is listed with its place", tool: "cel-admission-library",
			files: library(`[{"name": "a", "template": "pod.yaml", "expected": "pass"},
{"name": "b", "template": "pod.yaml", "expected": "maybe"},
{"name": "c", "template": "pod.yaml", "expected": "pass", "field_change_list": ["spec.containers.[7].image=a"]},
{"template": "pod.yaml"}]`),
			cases: []string{"a allowed"},
			unsupported: []string{
				`controls/C-1/tests.json:2: b: expected "maybe" is neither pass nor fail`,
				"controls/C-1/tests.json:3: c: spec.containers.[7].image=a: not the path of a field",
				"controls/C-1/tests.json:4: a test without name and template",
			}},
		{reason: "verdicts of kaptest", tool: "kaptest",
			files: kaptest("- policy: images\n  tests:\n  - {object: {kind: Pod, name: a}, expect: admit}\n  - {object: {kind: Pod, name: a}, expect: deny}\n"),
			cases: []string{"CREATE Pod:a admit allowed", "CREATE Pod:a deny denied"}},
		{reason: "an object that is not among the resources", tool: "kaptest",
			files:       kaptest("- policy: images\n  tests:\n  - {object: {kind: Pod, name: b}, expect: admit}\n"),
			unsupported: []string{"kaptest.yaml:6: there is no Pod:b among the resources"}},
		{reason: "verdicts of kube-vap-test, of each operation", tool: "kube-vap-test",
			files: vaptest("files: [policies/images.yaml]", `  - {name: a, objectFile: ../pod.yaml, expected: {allowed: true}}
  - {name: b, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}, operation: CREATE, expected: {allowed: false}}
  - {name: b, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}, oldObjectFile: ../pod.yaml, operation: UPDATE, expected: {allowed: true}}
  - {name: d, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}, operation: DELETE, expected: {allowed: true}}
`),
			cases: []string{"a allowed", "b denied", "b (2) allowed", "d allowed"}},
		{reason: "files next to the test, and what kube-vap-test accepts", tool: "kube-vap-test",
			files: vaptest("files: [../policies/images.yaml]", `  - {name: a, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}, expected: {allowed: true}}
  - {name: b, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}, operation: UPDATE, expected: {allowed: true}}
  - {name: c, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}, operation: CONNECT, expected: {allowed: true}}
  - {name: d, objectFile: missing.yaml, expected: {allowed: true}}
  - {name: e, expected: {allowed: true}}
`),
			cases: []string{"a allowed"},
			unsupported: []string{
				"tests/missing.yaml: no such file",
				`tests/a.yaml:8: case "b": an UPDATE without oldObject`,
				`tests/a.yaml:9: case "c": operation CONNECT is not converted`,
				`tests/a.yaml:11: case "e": a test without object`,
			}},
		{reason: "policies of a cluster", tool: "kube-vap-test",
			files:       vaptest("type: cluster", "  - {name: a, objectFile: ../pod.yaml, expected: {allowed: true}}\n"),
			unsupported: []string{`tests/a.yaml:5: ValidatingAdmissionPolicyTest "images": its policies are those of a cluster`}},
		{reason: "policies that do not exist", tool: "kube-vap-test",
			files: vaptest("files: [gone.yaml]", "  - {name: a, objectFile: ../pod.yaml, expected: {allowed: true}}\n"),
			unsupported: []string{"gone.yaml: no such file",
				`tests/a.yaml:5: ValidatingAdmissionPolicyTest "images": no policies are in its files`}},
		{reason: "no tests at all", tool: "gator", files: map[string]string{"a.yaml": "a: b\n"}, err: ": no tests of gator"},
		{reason: "an unknown tool", tool: "kaptst", files: map[string]string{"a.yaml": "a: b\n"}, err: `did you mean "kaptest"?`},
	} {
		folder := t.TempDir()
		for name, text := range tt.files {
			file := filepath.Join(folder, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		result, err := Run(tt.tool, folder)
		if tt.err != "" {
			if err == nil || !strings.HasSuffix(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want one that ends in %q", tt.reason, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
			continue
		}
		var unsupported []string
		for _, e := range result.Unsupported {
			unsupported = append(unsupported, strings.TrimPrefix(e.Source.String()+": "+e.Message, filepath.ToSlash(folder)+"/"))
		}
		if diff := cmp.Diff(tt.unsupported, unsupported); diff != "" {
			t.Errorf("%s: unsupported: -want +got\n%s", tt.reason, diff)
		}
		if diff := cmp.Diff(tt.cases, casesOf(t, result)); diff != "" {
			t.Errorf("%s: cases: -want +got\n%s", tt.reason, diff)
		}
	}
}

// casesOf reads the suites in the result of a conversion.
func casesOf(t *testing.T, r *Result) (all []string) {
	t.Helper()
	folder := t.TempDir()
	for _, f := range r.Files {
		file := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range r.Files {
		if !scenario.IsSuiteFile(f.Name) {
			continue
		}
		suites, err := scenario.LoadSuites(f.Name, scenario.Options{FS: os.DirFS(folder), Root: "."})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range suites {
			for _, c := range s.Cases {
				verdict := "denied"
				if e := c.Steps[0].Expect[0]; e.Allowed != nil && *e.Allowed {
					verdict = "allowed"
				}
				all = append(all, c.Name+" "+verdict)
			}
		}
	}
	if len(all) != r.Cases {
		t.Errorf("%d cases are written, and %d counted", len(all), r.Cases)
	}
	return all
}
