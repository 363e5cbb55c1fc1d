package rest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/cluster"
)

// podToWrite returns the stored pod with that name, and a copy to modify.
func (x *exchange) podToWrite(name string) (cluster.Object, *corev1.Pod, error) {
	kept, pod, err := x.subresource().Pod(name)
	return kept, pod, refuseServers(err)
}

// keepPod writes a pod that the server itself changed.
func (x *exchange) keepPod(pod *corev1.Pod, kept cluster.Object) error {
	if x.dryRun() {
		return nil
	}
	if err := x.fits(kept.Replaced(pod).Stored(), kept.Object); err != nil {
		return err
	}
	pod.ResourceVersion = x.state.NextVersion(pod.ResourceVersion)
	x.state = x.state.With(kept.Replaced(pod))
	return nil
}

// hintForPriority returns a hint if the server drops the priority class of a new pod, which it does without a word.
func hintForPriority(before, after runtime.Object) string {
	sent, isPod := before.(*corev1.Pod)
	kept, _ := after.(*corev1.Pod)
	if !isPod || kept == nil || sent.Spec.PriorityClassName == "" || kept.Spec.PriorityClassName != "" {
		return ""
	}
	return "the server drops spec.priorityClassName as long as the feature gate PodPriority is off"
}
