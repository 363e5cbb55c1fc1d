package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/check"
)

// BenchmarkRun checks 100 requests to create ConfigMaps in a cluster with many policies, each of which has a match
// condition. Every fourth policy is kept from the requests by its condition, so that it is tried without it.
func BenchmarkRun(b *testing.B) {
	for _, policies := range []int{10, 100, 300} {
		b.Run(fmt.Sprintf("policies=%d", policies), func(b *testing.B) {
			var text strings.Builder
			text.WriteString("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
			for i := range policies {
				fmt.Fprintf(&text, `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p%[1]d}
spec:
  matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]}
  matchConditions: [{name: some, expression: "%[2]d != 0 && object.metadata.name != 'p%[1]d'"}]
  validations: [{expression: "object.metadata.name != 'forbidden-%[1]d'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p%[1]d}
spec: {policyName: p%[1]d, validationActions: [Deny]}
`, i, i%4)
			}
			for i := range 100 {
				fmt.Fprintf(&text, `
---
apiVersion: admsim.dev/v1beta1
kind: Request
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: shop}}
`, i)
			}
			w := traffictest.Read(b, text.String())
			for b.Loop() {
				corpus := traffic.Written(w.Bag.Requests)
				got, err := check.Run(context.Background(), w.Make, corpus, check.Options{})
				if err != nil || got.Tried != 25 || len(got.Findings) > 0 {
					b.Fatalf("%+v, %v", got, err)
				}
			}
		})
	}
}
