package plugins

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// limitPodHardAntiAffinityTopology lets pods keep others off their node, but off no larger
// part of the cluster (LPA-01, LPA-02).
type limitPodHardAntiAffinityTopology struct{}

func (limitPodHardAntiAffinityTopology) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	if !concerns(req, "", "pods") {
		return skip(step, "not a pod"), nil
	}
	pod, err := objectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.PodAntiAffinity == nil {
		return skip(step, "the pod has no anti-affinity"), nil
	}
	for _, term := range affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if term.TopologyKey != corev1.LabelHostname {
			text := fmt.Sprintf("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey %v but only key %v is allowed", term.TopologyKey, corev1.LabelHostname)
			return deny(step, text, ownForbidden(req, pod, text)), nil
		}
	}
	return allow(step, "the anti-affinity is about nodes only"), nil
}
