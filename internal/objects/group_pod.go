package objects

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/removed"
)

// podGroup is what the server has of the group.
func podGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(removed.Core, "EphemeralContainers", ephemeralContainers),
			hub(corev1.SchemeGroupVersion, "Pod", pod),
			hub(corev1.SchemeGroupVersion, "PodTemplate", podTemplate),
		},
	}
}
