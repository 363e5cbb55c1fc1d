package performance

import (
	"bytes"
	"fmt"
)

// Configurations returns n webhook configurations, each with one webhook.
func Configurations(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: team-%05d
webhooks:
- name: pods.team-%05d.example
  clientConfig:
    service: {namespace: shop, name: hooks, path: /validate}
  rules:
  - {operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}
  namespaceSelector:
    matchLabels: {team: team-%05d}
  sideEffects: None
  admissionReviewVersions: [v1]
`, i, i, i)
	}
	return b.Bytes()
}

// Policy is a policy for pods with its binding.
const Policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: images}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]}
  validations:
  - expression: "object.spec.containers.all(c, c.image.startsWith('registry.example/'))"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: images}
spec: {policyName: images, validationActions: [Deny]}
`
