package convert

import (
	"testing"

	"sigs.k8s.io/yaml"
)

// Rules are matched as the server matches them.
func TestConstrained(t *testing.T) {
	for _, tt := range []struct {
		reason, constraints, object, operation string
		want                                   bool
	}{
		{"a rule for it", `resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]`, "{apiVersion: v1, kind: Pod}", "CREATE", true},
		{"another operation", `resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]`, "{apiVersion: v1, kind: Pod}", "DELETE", false},
		{"pods/* is pods, too (W-086)", `resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods/*]}]`, "{apiVersion: v1, kind: Pod}", "CREATE", true},
		{"a subresource only", `resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods/status]}]`, "{apiVersion: v1, kind: Pod}", "CREATE", false},
		{"an equivalent version", `resourceRules: [{apiGroups: [autoscaling], apiVersions: [v1], operations: ["*"], resources: ["*"]}]`, "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}", "CREATE", true},
		{"the exact version", `{matchPolicy: Exact, resourceRules: [{apiGroups: [autoscaling], apiVersions: [v1], operations: ["*"], resources: ["*"]}]}`, "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}", "CREATE", false},
		{"excluded", `{resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}], excludeResourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}`, "{apiVersion: v1, kind: Pod}", "CREATE", false},
		{"the scope of an object in a namespace", `resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods], scope: Cluster}]`, "{apiVersion: v1, kind: Pod, metadata: {namespace: shop}}", "CREATE", false},
		{"a name", `resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods], resourceNames: [a]}]`, "{apiVersion: v1, kind: Pod, metadata: {name: b}}", "CREATE", false},
		{"a selector is not evaluated", `{resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}], objectSelector: {matchLabels: {a: b}}}`, "{apiVersion: v1, kind: Pod}", "CREATE", true},
	} {
		var constraints, object any
		for text, into := range map[string]*any{tt.constraints: &constraints, tt.object: &object} {
			if err := yaml.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
		policy := document{value: map[string]any{"spec": map[string]any{"matchConstraints": constraints}}}
		if got := constrained(policy, object, tt.operation); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.reason, got, tt.want)
		}
	}
}
