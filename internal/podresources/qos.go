// kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go

package podresources

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// QOSOf returns the quality of service class of a pod, which the server computes when the pod is created.
func QOSOf(pod *corev1.Pod, r *kubeversion.Release) corev1.PodQOSClass {
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass
	}
	return QOSClass(&pod.Spec, r)
}

// QOSClass returns the quality of service class of a pod with this spec. Only cpu and memory count: those at pod level if there are
// any, otherwise those of the containers.
func QOSClass(s *corev1.PodSpec, r *kubeversion.Release) corev1.PodQOSClass {
	var requests, limits qosAmounts
	guaranteed := true
	count := func(r *corev1.ResourceRequirements) {
		requests.add(r.Requests)
		guaranteed = limits.add(r.Limits) == len(qosResources) && guaranteed
	}
	if ofPod(s.Resources, r) {
		count(s.Resources)
	} else {
		all := [][]corev1.Container{s.Containers}
		if r.Has(kubeversion.InitContainersHaveQOS) {
			all = append(all, s.InitContainers)
		}
		for _, containers := range all {
			for i := range containers {
				count(&containers[i].Resources)
			}
		}
	}
	if requests.known == limits.known && requests.known == [len(qosResources)]bool{} {
		return corev1.PodQOSBestEffort
	}
	for i := range qosResources {
		guaranteed = guaranteed && requests.known[i] == limits.known[i] && requests.sum[i].Cmp(limits.sum[i]) == 0
	}
	if guaranteed {
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

// ofPod reports whether the pod-level resources decide the class. Up to 1.36 they do so even if they are empty
// (kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go).
func ofPod(whole *corev1.ResourceRequirements, r *kubeversion.Release) bool {
	if whole == nil || !r.Has(kubeversion.EmptyPodResourcesIgnored) {
		return whole != nil
	}
	for _, list := range []corev1.ResourceList{whole.Requests, whole.Limits} {
		for name := range list {
			if IsPodLevel(name) {
				return true
			}
		}
	}
	return false
}

// qosResources are the resources that decide the quality of service.
var qosResources = [...]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

// qosAmounts are the sums of these resources, as far as they are known.
type qosAmounts struct {
	sum   [len(qosResources)]resource.Quantity
	known [len(qosResources)]bool
}

// add adds the resources of a list, and returns how many of them are positive.
func (a *qosAmounts) add(list corev1.ResourceList) (n int) {
	for i, name := range qosResources {
		if q, ok := list[name]; ok && q.Sign() > 0 {
			a.sum[i].Add(q)
			a.known[i] = true
			n++
		}
	}
	return n
}
