// kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go

package pod

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// QOSOf returns the quality of service class of a pod, which the server computes when the pod is created.
func QOSOf(pod *corev1.Pod, r *kubeversion.Release) corev1.PodQOSClass {
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass
	}
	return qosClass(&pod.Spec, r)
}
