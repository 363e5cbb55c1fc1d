package rest

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// podToWrite returns the stored pod with that name, and a copy to modify.
func (x *exchange) podToWrite(name string) (cluster.Object, *corev1.Pod, error) {
	kept, ok := x.state.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: x.req.Namespace, Name: name})
	pod, isPod := kept.Object.(*corev1.Pod)
	if !ok || !isPod {
		return kept, nil, refuse(apierrors.NewNotFound(corev1.Resource("pods"), name))
	}
	return kept, pod.DeepCopy(), nil
}

// keepPod writes a pod that the server itself changed.
func (x *exchange) keepPod(pod *corev1.Pod, kept cluster.Object) error {
	if x.dryRun() {
		return nil
	}
	pod.ResourceVersion = x.state.NextVersion(pod.ResourceVersion)
	x.state = x.state.With(kept.Replaced(pod))
	return nil
}

// setCondition sets one condition of a pod. Its transition time only changes with its status.
func (x *exchange) setCondition(pod *corev1.Pod, c corev1.PodCondition) {
	c.LastTransitionTime = metav1.NewTime(x.server.Now())
	for i, old := range pod.Status.Conditions {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		pod.Status.Conditions[i] = c
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, c)
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
