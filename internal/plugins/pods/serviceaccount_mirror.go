package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// mirrorPod refuses a mirror pod that needs anything from the API server, since its kubelet started it without asking
// the server (SA-40).
func (p ServiceAccount) mirrorPod(req admission.Request, pod *corev1.Pod, step trace.Step) trace.Step {
	if pod.Spec.ServiceAccountName != "" {
		return plugin.Forbid(step, req, "a mirror pod may not reference service accounts")
	}
	if plugin.UsesSecrets(pod, p.named) {
		return plugin.Forbid(step, req, "a mirror pod may not reference secrets")
	}
	if slices.ContainsFunc(pod.Spec.Volumes, projectsToken) {
		return plugin.Forbid(step, req, "a mirror pod may not use ServiceAccountToken volume projections")
	}
	return plugin.Skip(step, "mirror pods have no account")
}

func projectsToken(v corev1.Volume) bool {
	return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(p corev1.VolumeProjection) bool {
		return p.ServiceAccountToken != nil
	})
}
