package security

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// SecurityContextDeny refuses pods that set their security context (SCD-01 to SCD-07). It existed up to 1.29.
type SecurityContextDeny struct{}

func (SecurityContextDeny) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	if text := chosenContext(pod); text != "" {
		return plugin.Deny(step, text, plugin.OwnForbidden(req, pod, text)), nil
	}
	return plugin.Allow(step, "the pod leaves to its node how it runs"), nil
}

// chosenContext returns the server's message for the first field that is set.
func chosenContext(pod *corev1.Pod) string {
	if sc := pod.Spec.SecurityContext; sc != nil {
		switch {
		case sc.SupplementalGroups != nil:
			return "pod.Spec.SecurityContext.SupplementalGroups is forbidden"
		case sc.SELinuxOptions != nil:
			return "pod.Spec.SecurityContext.SELinuxOptions is forbidden"
		case sc.RunAsUser != nil:
			return "pod.Spec.SecurityContext.RunAsUser is forbidden"
		case sc.FSGroup != nil:
			return "pod.Spec.SecurityContext.FSGroup is forbidden"
		}
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		switch sc := c.SecurityContext; {
		case sc == nil:
		case sc.SELinuxOptions != nil:
			return "SecurityContext.SELinuxOptions is forbidden"
		case sc.RunAsUser != nil:
			return "SecurityContext.RunAsUser is forbidden"
		}
	}
	return ""
}
