package pods

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// LimitPodHardAntiAffinityTopology allows required anti-affinity only for the topology of single nodes (LPA-01,
// LPA-02).
type LimitPodHardAntiAffinityTopology struct{}

func (LimitPodHardAntiAffinityTopology) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.PodAntiAffinity == nil {
		return plugin.Skip(step, "the pod has no anti-affinity"), nil
	}
	for _, term := range affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if term.TopologyKey != corev1.LabelHostname {
			text := fmt.Sprintf("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey %v but only key %v is allowed", term.TopologyKey, corev1.LabelHostname)
			return plugin.Deny(step, text, plugin.OwnForbidden(req, pod, text)), nil
		}
	}
	return plugin.Allow(step, "the anti-affinity is about nodes only"), nil
}
