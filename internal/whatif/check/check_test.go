package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/check"
)

// The findings do not depend on how many requests run at once.
func TestJobs(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh)
	with := func(jobs int) *check.Result {
		got, err := check.Run(context.Background(), w.Make, traffictest.Corpus(t, traffictest.Reviews(60)), check.Options{Jobs: jobs, Alike: 4})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(with(1), with(4)); diff != "" {
		t.Errorf("with one job and four (-1 +4):\n%s", diff)
	}
}

// If not all orders are tried, those that are drawn are orders that a server may use: the bindings of a policy, applied
// one after the other, do not make them fewer.
func TestOrdersDrawn(t *testing.T) {
	var text strings.Builder
	text.WriteString(traffictest.Mesh)
	for _, policy := range []string{"a", "b"} {
		fmt.Fprintf(&text, `
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: %s}
spec:
  matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"%[1]s": "1"}}}'}
`, policy)
		for binding := range 3 {
			fmt.Fprintf(&text, `
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: %s%d}
spec: {policyName: %[1]s}
`, policy, binding)
		}
	}
	w := traffictest.Read(t, text.String())
	got, err := check.Run(context.Background(), w.Make, traffictest.Corpus(t, traffictest.Reviews(1)), check.Options{Checks: []check.Name{check.Order}, Orders: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got.Orders != 10 || got.Exhaustive {
		t.Errorf("%d orders, exhaustive: %t, want 10 that are drawn (errors: %v)", got.Orders, got.Exhaustive, got.Errors)
	}
}
