package security

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// DenyExec is two plugins that refuse exec and attach to containers with power over their node: DenyEscalatingExec,
// which sets Host, checks more (DX-01 to DX-04). They existed up to 1.20.
type DenyExec struct{ Host bool }

func (d DenyExec) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.ConcernsSub(req, "", "pods", "exec") && !plugin.ConcernsSub(req, "", "pods", "attach") {
		return plugin.Skip(step, "the request does not enter a container"), nil
	}
	found, _ := s.Live().Find(cluster.Key{GroupKind: plugin.PodKind, Namespace: req.Namespace, Name: req.Name})
	pod, ok := found.Object.(*corev1.Pod)
	step.LookUp(req.Elapsed, schema.GroupVersionResource{Version: "v1", Resource: "pods"}, req.Namespace, req.Name, ok)
	if !ok {
		step = plugin.Lacking(step, "Pod", req.Namespace, req.Name)
		return plugin.Forbid(step, req, fmt.Sprintf("pods %q not found", req.Name)), nil // DX-01
	}
	step = plugin.DecidedBy(step, found)
	if text := d.against(pod); text != "" {
		return plugin.Forbid(step, req, "cannot exec into or attach to a "+text), nil
	}
	return plugin.Allow(step, "the pod has no power over its node"), nil
}

func (d DenyExec) against(pod *corev1.Pod) string {
	switch {
	case d.Host && pod.Spec.HostNetwork:
		return "container using host network"
	case d.Host && pod.Spec.HostPID:
		return "container using host pid"
	case d.Host && pod.Spec.HostIPC:
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
