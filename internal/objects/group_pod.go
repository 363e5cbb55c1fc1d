package objects

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/removed"
)

// podKinds are those of the group.
func podKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(removed.Core, "EphemeralContainers", ephemeralContainers),
			hub(corev1.SchemeGroupVersion, "Pod", pod),
			hub(corev1.SchemeGroupVersion, "PodTemplate", podTemplate),
		},
	}
}
