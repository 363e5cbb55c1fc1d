package plugins

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// TestUnfilledPods holds pods to policies that did not fill them in first, as the server
// never does, to see every refusal that there is a rule for.
func TestUnfilledPods(t *testing.T) {
	any := builtin.IDStrategyOptions{Rule: builtin.RunAsAny}
	policy := func(change func(*builtin.PodSecurityPolicy)) *builtin.PodSecurityPolicy {
		p := &builtin.PodSecurityPolicy{Spec: builtin.PodSecurityPolicySpec{
			SELinux: builtin.SELinuxStrategyOptions{Rule: builtin.RunAsAny}, RunAsUser: any, FSGroup: any, SupplementalGroups: any,
		}}
		change(p)
		return p
	}
	ranges := builtin.IDStrategyOptions{Rule: builtin.MustRunAs, Ranges: []builtin.IDRange{{Min: 1, Max: 2}}}
	no := false
	tests := []struct {
		policy *builtin.PodSecurityPolicy
		drop   []corev1.Capability // nil: no capabilities are set
		want   string
	}{
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.RunAsUser = ranges }), nil,
			`spec.containers[0].securityContext.runAsUser: Required value`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.RunAsUser.Rule = builtin.MustRunAsNonRoot }), nil,
			`spec.containers[0].securityContext.runAsNonRoot: Required value: must be true`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.FSGroup = ranges }), nil,
			`spec.securityContext.fsGroup: Invalid value: []int64(nil): unable to validate empty groups against required ranges`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.RunAsGroup = &ranges }), nil,
			`spec.containers[0].securityContext: Invalid value: []int64(nil): unable to validate empty groups against required ranges`},
		{policy(func(p *builtin.PodSecurityPolicy) {
			p.Spec.SELinux = builtin.SELinuxStrategyOptions{Rule: builtin.MustRunAs, Options: &corev1.SELinuxOptions{}}
		}), nil, `spec.securityContext.seLinuxOptions: Required value; spec.containers[0].securityContext.seLinuxOptions: Required value`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Annotations = map[string]string{appArmorAllowedAnnotation: "a"} }), nil,
			`pod.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: Forbidden: AppArmor profile must be set`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.RequiredDropCapabilities = []corev1.Capability{"KILL"} }), nil,
			`spec.containers[0].securityContext.capabilities: Invalid value: "null": required capabilities are not set on the securityContext`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.RequiredDropCapabilities = []corev1.Capability{"KILL"} }), []corev1.Capability{"CHOWN", "SYS_TIME"},
			`spec.containers[0].securityContext.capabilities.drop: Invalid value: []core.Capability{"CHOWN", "SYS_TIME"}: KILL is required to be dropped but was not found`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.ReadOnlyRootFilesystem = true }), nil,
			`spec.containers[0].securityContext.readOnlyRootFilesystem: Invalid value: "null": ReadOnlyRootFilesystem may not be nil and must be set to true`},
		{policy(func(p *builtin.PodSecurityPolicy) { p.Spec.AllowEscalation = &no }), nil,
			`spec.containers[0].securityContext.allowPrivilegeEscalation: Invalid value: "null": Allowing privilege escalation for containers is not allowed`},
	}
	for _, test := range tests {
		pod := &corev1.Pod{Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{},
			Containers:      []corev1.Container{{Name: "c", SecurityContext: &corev1.SecurityContext{}}},
		}}
		if test.drop != nil {
			pod.Spec.Containers[0].SecurityContext.Capabilities = &corev1.Capabilities{Drop: test.drop}
		}
		got := strings.Join(violationsOf(test.policy, pod, kubeversion.Default()), "; ")
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// unsure is an authorizer that cannot answer, as that of roles always can.
type unsure struct{}

func (unsure) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionNoOpinion, "", errors.New("no connection")
}

// TestUnsureAuthorizer is what plugins say when nobody can tell who may do something.
func TestUnsureAuthorizer(t *testing.T) {
	w := newWorld(t, "AlwaysAdmit", txtar.Parse([]byte(`
-- cluster.yaml --
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u1}
spec: {nodeName: n1, serviceAccountName: default, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: shop, uid: u2}
---
apiVersion: v1
kind: Node
metadata: {name: n1, uid: u3}
`)))
	tests := []struct {
		plugin, line, body, want string
		code                     int32
		release                  string
	}{
		{"Initializers", "create configmaps shop/map", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, annotations: {initializers.admsim.dev/metadata.initializers: '{\"pending\":[{\"name\":\"a.b.c\"}]}'}}",
			"nobody can tell whether the user may initialize it: no connection", 500, ""},
		{"NodeRestriction", "create serviceaccounts/token shop/default as system:node:n1,system:nodes",
			"apiVersion: authentication.k8s.io/v1\nkind: TokenRequest\nspec: {audiences: [a], boundObjectRef: {apiVersion: v1, kind: Pod, name: web, uid: u1}}",
			`error authorizing system:node:n1 to request tokens for audience "a": no connection`, 403, ""},
		{"NodeRestriction", "create serviceaccounts/token shop/default as system:node:n1,system:nodes",
			"apiVersion: authentication.k8s.io/v1\nkind: TokenRequest\nspec: {audiences: [a], boundObjectRef: {apiVersion: v1, kind: Pod, name: web, uid: u1}}",
			`audience "a" not found in pod spec volume, error authorizing system:node:n1 to request tokens for this audience: no connection`, 403, "1.36"},
		{"NodeRestriction", "create podcertificaterequests shop/c as system:node:n1,system:nodes",
			"apiVersion: certificates.k8s.io/v1\nkind: PodCertificateRequest\nspec: {signerName: a/b, podName: web, podUID: u1, serviceAccountName: default, serviceAccountUID: u2, nodeName: n1, nodeUID: u3}",
			`error authorizing system:node:n1 to request podcertificaterequests for signer "a/b": no connection`, 403, ""},
	}
	for _, test := range tests {
		o := w.options(t, nil)
		o.Authorizer = unsure{}
		if test.release != "" {
			release, err := kubeversion.Parse(test.release)
			if err != nil {
				t.Fatal(err)
			}
			o.Release = release
		}
		p, _, err := New(test.plugin, o)
		if err != nil {
			t.Fatal(err)
		}
		step, err := p.Mutator.Mutate(context.Background(), w.State, w.request(t, test.line, []byte(test.body)), nil)
		if err != nil || step.Denial == nil {
			t.Fatalf("%s: %+v, %v", test.plugin, step, err)
		}
		said := step.Because
		if step.Denial.Code == 500 {
			said += ": " + step.Denial.Message
		}
		if said != test.want || step.Denial.Code != test.code {
			t.Errorf("%s: %d %s, want %d %s", test.plugin, step.Denial.Code, said, test.code, test.want)
		}
	}
}

// TestUnknownVolume is a volume of a type that is not known, which defaults make one of.
func TestUnknownVolume(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Volumes: []corev1.Volume{{Name: "v"}}}}
	if _, err := referenceOf(pod); err == nil || err.Error() != `unknown volume type for volume  "v"` {
		t.Errorf("got %v", err)
	}
}
