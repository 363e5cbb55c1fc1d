package security

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// TestUnfilledPods checks pods without filling them in first, which the server never does, so that every rule can
// refuse.
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
