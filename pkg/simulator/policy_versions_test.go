package simulator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

const (
	validatingInVersion = `
{"apiVersion": "admissionregistration.k8s.io/%[1]s", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"}, "spec": {
  "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]},
  "validations": [{"expression": "object.metadata.name != 'c'", "message": "no c"}]}}
---
{"apiVersion": "admissionregistration.k8s.io/%[1]s", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "p"},
  "spec": {"policyName": "p", "validationActions": ["Deny"]}}`

	mutatingInVersion = `
{"apiVersion": "admissionregistration.k8s.io/%[1]s", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "p"}, "spec": {
  "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]},
  "reinvocationPolicy": "Never",
  "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'add', path: '/data', value: {'by': 'policy'}}]"}}]}}
---
{"apiVersion": "admissionregistration.k8s.io/%[1]s", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "p"},
  "spec": {"policyName": "p"}}`
)

// Policies are in force in every version that a release serves, by default or because of flags, and unknown in all
// others (W-270, W-301).
func TestPolicyVersions(t *testing.T) {
	const denied, changed = "no c", `"by":"policy"`
	for _, tt := range []struct {
		release, version, objects, want string
		enabled                         bool
	}{
		{"1.36", "v1", validatingInVersion, denied, false},
		{"1.30", "v1", validatingInVersion, denied, false},
		{"1.30", "v1beta1", validatingInVersion, denied, true},
		{"1.30", "v1alpha1", validatingInVersion, denied, true},
		{"1.29", "v1beta1", validatingInVersion, denied, true},
		{"1.34", "v1alpha1", validatingInVersion, "", false},
		{"1.36", "v1", mutatingInVersion, changed, false},
		{"1.36", "v1beta1", mutatingInVersion, changed, true},
		{"1.34", "v1beta1", mutatingInVersion, changed, true},
		{"1.34", "v1beta1", mutatingInVersion, "", false},
		{"1.32", "v1alpha1", mutatingInVersion, changed, true},
		{"1.32", "v1", mutatingInVersion, "", false},
		{"1.30", "v1alpha1", mutatingInVersion, "", false},
	} {
		t.Run(fmt.Sprintf("%s/%s/enabled=%v/%d", tt.release, tt.version, tt.enabled, len(tt.objects)), func(t *testing.T) {
			sim := inRelease(t, tt.release, tt.version, tt.enabled)
			state := sim.State()
			for _, data := range strings.Split(fmt.Sprintf(tt.objects, tt.version), "---") {
				object, err := sim.Stored([]byte(data))
				if tt.want == "" {
					if err == nil {
						t.Fatalf("the version is served: %T", object)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				state = state.With(cluster.Object{Object: object})
			}
			sim, err := sim.With(state)
			if err != nil {
				t.Fatal(err)
			}
			policies, lost := sim.Policies()
			if len(policies) != 1 || policies[0].Object.GetObjectKind().GroupVersionKind().Version != "v1" || len(policies[0].Bindings) != 1 || len(lost) != 0 {
				t.Errorf("Policies() = %v, %v, want one in v1 with its binding", policies, lost)
			}
			result, err := sim.Do(context.Background(), rest.Request{
				Verb: rest.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: metav1.NamespaceDefault,
				Body: []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}`),
				User: authenticationv1.UserInfo{Username: "alice", Groups: []string{"system:masters"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := result.Next.View().Types().Encode(result.Object)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), tt.want) {
				t.Errorf("no %q in %s", tt.want, got)
			}
		})
	}
}

// inRelease returns a simulator of a release with all gates for policies. If enabled, flags serve that version of the
// policies.
func inRelease(t *testing.T, release, version string, enabled bool) *Simulator {
	t.Helper()
	r, err := kubeversion.Parse(release)
	if err != nil {
		t.Fatal(err)
	}
	if enabled {
		flags := kubeversion.Flags{RuntimeConfig: map[string]bool{"admissionregistration.k8s.io/" + version: true}, FeatureGates: map[string]bool{}}
		for _, gate := range []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"} {
			flags.FeatureGates[gate] = true
			if _, err := r.With(kubeversion.Flags{FeatureGates: map[string]bool{gate: true}}); err != nil {
				delete(flags.FeatureGates, gate) // the release has no such gate, or no longer
			}
		}
		if r, err = r.With(flags); err != nil {
			t.Fatal(err)
		}
	}
	sim, err := New(Options{Release: r, State: Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	return sim
}
