// Package autoscaling has the rules of HorizontalPodAutoscaler and Scale. It follows
// kubernetes/kubernetes:pkg/apis/autoscaling and the strategies of pkg/registry.
package autoscaling

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(autoscalingv2.SchemeGroupVersion, "HorizontalPodAutoscaler", horizontalPodAutoscaler),
		},
		Versions: slices.Concat(scalerVersions(), scaleVersions()),
	}
}
