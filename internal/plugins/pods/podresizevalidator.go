package pods

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// PodResizeValidator refuses to resize a pod to more than its node has (PRZ-01 to PRZ-04).
type PodResizeValidator struct{ release *kubeversion.Release }

func NewPodResizeValidator(r *kubeversion.Release) PodResizeValidator { return PodResizeValidator{r} }

func (p PodResizeValidator) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.ConcernsSub(req, "", "pods", "resize") {
		return plugin.Skip(step, "not the resize of a pod"), nil
	}
	pod, node, step, err := podOnNode(step, s, req)
	if err != nil || node == nil {
		return step, err
	}
	if os, ok := node.Labels[corev1.LabelOSStable]; ok && os != string(corev1.Linux) {
		denied := plugin.Forbid(step, req, fmt.Sprintf("pod resize is only supported on linux nodes, node %q is %q", node.Name, os))
		return because(denied, "UnsupportedPlatform"), nil
	}
	if short := p.shortOf(pod, node); len(short) > 0 {
		denied := plugin.Forbid(step, req, "node didn't have enough allocatable resources: "+strings.Join(short, "; "))
		return because(denied, "NodeCapacity"), nil
	}
	return plugin.Allow(step, fmt.Sprintf("node %q is large enough", node.Name)), nil
}

// shortOf describes the resources that the node does not have enough of.
func (p PodResizeValidator) shortOf(pod *corev1.Pod, node *corev1.Node) []string {
	var short []string
	needs, has := podresources.OfSpec(pod, p.release), node.Status.Allocatable
	if needs.Cpu().MilliValue() > has.Cpu().MilliValue() {
		short = append(short, fmt.Sprintf("cpu, requested: %d, allocatable: %d", needs.Cpu().MilliValue(), has.Cpu().MilliValue()))
	}
	if needs.Memory().Value() > has.Memory().Value() {
		short = append(short, fmt.Sprintf("memory, requested: %d, allocatable: %d", needs.Memory().Value(), has.Memory().Value()))
	}
	return short
}

// because adds a machine-readable cause to a denial.
func because(denied trace.Step, reason metav1.CauseType) trace.Step {
	denied.Denial.Details.Causes = append(denied.Denial.Details.Causes, metav1.StatusCause{Type: reason})
	return denied
}

// podOnNode returns the pod of an update and its node. If the node is nil, the step says that there is nothing to check
// or that the node does not exist (PRZ-01, PRZ-02, NDF-01, NDF-03).
func podOnNode(step trace.Step, s *cluster.State, req admission.Request) (*corev1.Pod, *corev1.Node, trace.Step, error) {
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return nil, nil, step, err
	}
	old, err := plugin.OldObjectOf[*corev1.Pod](req)
	if err != nil {
		return nil, nil, step, err
	}
	switch {
	case pod.Spec.NodeName == "":
		return pod, nil, plugin.Skip(step, "the pod is on no node"), nil
	case pod.Generation == old.Generation:
		return pod, nil, plugin.Skip(step, "the pod's spec stays as it is"), nil
	}
	found, _ := s.Find(cluster.Key{GroupKind: plugin.NodeKind, Name: pod.Spec.NodeName})
	node, ok := found.Object.(*corev1.Node)
	if !ok {
		step = plugin.Lacking(step, "Node", "", pod.Spec.NodeName)
		return pod, nil, plugin.Forbid(step, req, fmt.Sprintf("node %q not found", pod.Spec.NodeName)), nil
	}
	return pod, node, plugin.DecidedBy(step, found), nil
}
