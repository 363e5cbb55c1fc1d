package objects

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// autoscalingKinds are those of the group.
func autoscalingKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(autoscalingv2.SchemeGroupVersion, "HorizontalPodAutoscaler", horizontalPodAutoscaler),
		},
		Versions: slices.Concat(scalerVersions(), scaleVersions()),
	}
}
