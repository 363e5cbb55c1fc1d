package pods

import (
	"context"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// NodeDeclaredFeatureValidator refuses pod updates that need a feature its node does not declare (NDF-01 to NDF-03),
// and devices whose nodes do not declare that they can account for them (NDF-04, NDF-05).
type NodeDeclaredFeatureValidator struct{ enabled, devices bool }

func NewNodeDeclaredFeatureValidator(r *kubeversion.Release) NodeDeclaredFeatureValidator {
	return NodeDeclaredFeatureValidator{
		enabled: r.Enabled("NodeDeclaredFeatures"),
		devices: r.Enabled(allocatable) && r.Has(kubeversion.AllocatableClaimsMapped),
	}
}

func (p NodeDeclaredFeatureValidator) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case !p.enabled:
		return plugin.Skip(step, "feature gate NodeDeclaredFeatures is off"), nil
	case p.devices && req.Resource.GroupResource() == resourceSlices:
		return devicesOnNodes(step, s, req)
	case req.Operation != admissionv1.Update || !plugin.Concerns(req, "", "pods") && !plugin.ConcernsSub(req, "", "pods", "resize"):
		return plugin.Skip(step, "not a pod that is updated"), nil
	}
	old, err := plugin.OldObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	pod, node, step, err := podOnNode(step, s, req)
	if err != nil || node == nil && !step.Outcome.Ends() {
		return step, err
	}
	needed := featuresFor(pod, old)
	if len(needed) == 0 { // before the node is looked up
		return plugin.Skip(plugin.Begin(req), "the change needs no feature of the node"), nil
	}
	if node == nil {
		return step, nil
	}
	missing := slices.DeleteFunc(needed, func(f string) bool { return slices.Contains(node.Status.DeclaredFeatures, f) })
	if len(missing) > 0 {
		return plugin.Forbid(step, req, fmt.Sprintf("pod update requires features %s which are not available on node %q", strings.Join(missing, ", "), node.Name)), nil
	}
	return plugin.Allow(step, fmt.Sprintf("node %q has the features that the change needs", node.Name)), nil
}

// featuresFor returns the node features that the update needs, sorted by name (NDF-02).
func featuresFor(pod, old *corev1.Pod) []string {
	var features []string
	if !semantic.DeepEqual(pod.Spec.Resources, old.Spec.Resources) {
		features = append(features, "InPlacePodLevelResourcesVerticalScaling")
	}
	if resizesInitContainers(pod, old) {
		features = append(features, "InPlacePodVerticalScalingInitContainers")
	}
	if resizesMemoryVolumes(pod, old) {
		features = append(features, "InPlacePodVerticalScalingMemoryBackedVolumes")
	}
	return features
}

func resizesInitContainers(pod, old *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool {
		j := slices.IndexFunc(old.Spec.InitContainers, func(o corev1.Container) bool { return o.Name == c.Name })
		return j >= 0 && !podresources.IsSidecar(&c) && !semantic.DeepEqual(c.Resources, old.Spec.InitContainers[j].Resources)
	})
}

func resizesMemoryVolumes(pod, old *corev1.Pod) bool {
	if len(pod.Spec.Volumes) != len(old.Spec.Volumes) {
		return false
	}
	for i := range pod.Spec.Volumes {
		v, before := &pod.Spec.Volumes[i], &old.Spec.Volumes[i]
		if v.Name == before.Name && v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory &&
			v.EmptyDir.SizeLimit != nil && before.EmptyDir != nil && before.EmptyDir.SizeLimit != nil &&
			v.EmptyDir.SizeLimit.Cmp(*before.EmptyDir.SizeLimit) != 0 {
			return true
		}
	}
	return false
}
