package pods

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// DefaultTolerationSeconds lets pods stay on a failing node for five minutes.
type DefaultTolerationSeconds struct{}

// The default of the flags --default-not-ready-toleration-seconds and --default-unreachable-toleration-seconds.
const troubledNodeSeconds = 300

// Mutate looks for both tolerations before it adds either, also on updates (DTS-01 to DTS-03).
func (DefaultTolerationSeconds) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	tolerations := append(make([]corev1.Toleration, 0, len(pod.Spec.Tolerations)+2), pod.Spec.Tolerations...)
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if !tolerated(pod.Spec.Tolerations, key) {
			tolerations = append(tolerations, forSomeTime(key))
		}
	}
	if len(tolerations) == len(pod.Spec.Tolerations) {
		return plugin.Allow(step, "the pod says how long it tolerates nodes that are not ready or unreachable"), nil
	}
	changed := *pod
	changed.Spec.Tolerations = tolerations
	return plugin.Change(step, &changed, "the pod does not say how long it tolerates nodes that are not ready or unreachable"), nil
}

// tolerated reports whether the list has a toleration for the key, whatever its operator and value (DTS-02).
func tolerated(list []corev1.Toleration, key string) bool {
	return slices.ContainsFunc(list, func(t corev1.Toleration) bool {
		return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
	})
}

func forSomeTime(key string) corev1.Toleration {
	seconds := int64(troubledNodeSeconds)
	return corev1.Toleration{
		Key:               key,
		Operator:          corev1.TolerationOpExists,
		Effect:            corev1.TaintEffectNoExecute,
		TolerationSeconds: &seconds,
	}
}
