package pods

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// ExtendedResourceToleration lets pods that request extended resources run on the nodes that have them (ERT-01 to
// ERT-03).
type ExtendedResourceToleration struct{}

func (ExtendedResourceToleration) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	names := extendedResources(pod)
	if len(names) == 0 {
		return plugin.Skip(step, "asks for no extended resource"), nil
	}
	tolerations := slices.Clone(pod.Spec.Tolerations)
	for _, name := range names {
		tolerations = tolerating(tolerations, corev1.Toleration{
			Key: name, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
		})
	}
	if semantic.DeepEqual(tolerations, pod.Spec.Tolerations) {
		return plugin.Allow(step, "tolerates the taints of "+strings.Join(names, ", ")), nil
	}
	pod = pod.DeepCopy()
	pod.Spec.Tolerations = tolerations
	return plugin.Change(step, pod, "asks for "+strings.Join(names, ", ")), nil
}

// tolerating returns list with t in it. t replaces every toleration that differs from it only in how long it lasts.
func tolerating(list []corev1.Toleration, t corev1.Toleration) []corev1.Toleration {
	found := false
	for i := range list {
		if list[i].MatchToleration(&t) {
			list[i], found = t, true
		}
	}
	if found {
		return list
	}
	return append(list, t)
}

// extendedResources returns the names of the extended resources that containers request, sorted.
func extendedResources(pod *corev1.Pod) []string {
	var names []string
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for _, c := range containers {
			for name := range c.Resources.Requests {
				if rules.IsExtended(name) {
					names = append(names, string(name))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
