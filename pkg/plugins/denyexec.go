package plugins

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// denyExec is the two plugins that keep people out of containers with power over their
// node, of which DenyEscalatingExec looks at more (DX-01 to DX-04). Releases up to 1.20 had
// them.
type denyExec struct{ host bool }

func (d denyExec) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	if !concernsSub(req, "", "pods", "exec") && !concernsSub(req, "", "pods", "attach") {
		return skip(step, "nobody enters a container"), nil
	}
	found, _ := s.Find(cluster.Key{GroupKind: podKind, Namespace: req.Namespace, Name: req.Name})
	pod, ok := found.Object.(*corev1.Pod)
	if !ok {
		step = lacking(step, "Pod", req.Namespace, req.Name)
		return forbid(step, req, fmt.Sprintf("pods %q not found", req.Name)), nil // DX-01
	}
	step = decidedBy(step, found)
	if text := d.against(pod); text != "" {
		return forbid(step, req, "cannot exec into or attach to a "+text), nil
	}
	return allow(step, "the pod has no power over its node"), nil
}

func (d denyExec) against(pod *corev1.Pod) string {
	switch {
	case d.host && pod.Spec.HostNetwork:
		return "container using host network"
	case d.host && pod.Spec.HostPID:
		return "container using host pid"
	case d.host && pod.Spec.HostIPC:
		return "container using host ipc"
	case slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), isPrivileged),
		slices.ContainsFunc(pod.Spec.EphemeralContainers, func(c corev1.EphemeralContainer) bool {
			return isPrivileged(corev1.Container(c.EphemeralContainerCommon))
		}):
		return "privileged container"
	}
	return ""
}

func isPrivileged(c corev1.Container) bool {
	return c.SecurityContext != nil && c.SecurityContext.Privileged != nil && *c.SecurityContext.Privileged
}
