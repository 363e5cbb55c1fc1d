package suite

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/suite/outcome"
)

// policyCases is the number of cases in the tests of the CEL admission library.
const policyCases = 628

// policySuites returns the given number of suites, with policies and cases that the policies admit or deny.
func policySuites(suites int) fstest.MapFS {
	const policies = 60
	files := fstest.MapFS{}
	for s := range suites {
		var b strings.Builder
		b.WriteString("apiVersion: admsim.dev/v1alpha1\nkind: Suite\nworld:\n  objects:\n")
		for p := s; p < policies; p += suites {
			fmt.Fprintf(&b, `  - apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata: {name: policy-%d}
    spec:
      matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]}
      matchConditions: [{name: mine, expression: 'object.metadata.name.startsWith("p%d-")'}]
      variables:
      - {name: containers, expression: 'object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : [])'}
      validations:
      - {expression: 'variables.containers.all(c, !c.image.endsWith("bad-%d"))', message: bad image}
      - {expression: 'variables.containers.all(c, has(c.resources))'}
  - apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicyBinding
    metadata: {name: binding-%d}
    spec: {policyName: policy-%d, validationActions: [Deny]}
`, p, p, p, p, p)
		}
		b.WriteString("cases:\n")
		for c := range policyCases {
			p := c % policies
			if p%suites != s {
				continue
			}
			image, expect := "good", "{allowed: true}"
			if c/policies%2 == 1 {
				image, expect = fmt.Sprintf("bad-%d", p), fmt.Sprintf("{deniedBy: {policy: policy-%d}, message: {contains: bad image}}", p)
			}
			fmt.Fprintf(&b, "- name: case-%d\n  request: {object: {apiVersion: v1, kind: Pod, metadata: {name: p%d-%d}, spec: {containers: [{name: a, image: %s, resources: {}}]}}}\n  expect: %s\n", c, p, c, image, expect)
		}
		files[fmt.Sprintf("s%d_admsim.yaml", s)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return files
}

// BenchmarkRun measures everything from the text of the suites to the results.
func BenchmarkRun(b *testing.B) {
	for _, suites := range []int{1, 60} {
		b.Run(fmt.Sprintf("cases=%d/suites=%d", policyCases, suites), func(b *testing.B) {
			files := policySuites(suites)
			for b.Loop() {
				checkAll(b, runAll(b.Context(), load(b, files), Options{User: admin}))
			}
		})
	}
}

func checkAll(t testing.TB, r *outcome.Results) {
	t.Helper()
	if s := r.Summary(); s.Passed != policyCases || !s.OK() {
		t.Fatalf("%+v, want %d passed\n%s", s, policyCases, transcript(r))
	}
}

// Suites that run in parallel have the results of their own policies.
func TestManyCases(t *testing.T) {
	checkAll(t, runAll(t.Context(), load(t, policySuites(20)), Options{User: admin, Jobs: 8}))
}
