package snapshot

import (
	"fmt"
	"strings"
)

// RBAC returns the manifests that permit a ServiceAccount to take a snapshot.
func RBAC() string {
	var b strings.Builder
	b.WriteString(`# What admsim snapshot needs: to list, nothing of Secrets. Where policies have params, add list for
# the resources that these are.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: admsim-snapshot
rules:
`)
	for _, r := range rules() {
		fmt.Fprintf(&b, "- apiGroups: [%q]\n  resources: [%s]\n  verbs: [%s]\n", strings.Join(r.APIGroups, ""), strings.Join(r.Resources, ", "), strings.Join(r.Verbs, ", "))
	}
	b.WriteString(`---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: admsim-snapshot
  namespace: default
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: admsim-snapshot
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: admsim-snapshot
subjects:
- kind: ServiceAccount
  name: admsim-snapshot
  namespace: default
`)
	return b.String()
}
