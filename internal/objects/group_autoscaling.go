package objects

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// autoscalingGroup is what the server has of the group.
func autoscalingGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(autoscalingv2.SchemeGroupVersion, "HorizontalPodAutoscaler", horizontalPodAutoscaler),
		},
		Versions: slices.Concat(scalerVersions(), scaleVersions()),
	}
}
