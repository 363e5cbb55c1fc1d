// kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go

package pod

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// QOSClass is how well a pod is served when resources get scarce, which the server works
// out when the pod is created.
func QOSClass(s *corev1.PodSpec, r *kubeversion.Release) corev1.PodQOSClass { return qosClass(s, r) }
