// Package pod has the rules of pods, of pod templates, and of everything else that contains containers or volumes. It
// follows kubernetes/kubernetes:pkg/apis/core and the strategies of pkg/registry.
package pod

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(builtin.Core, "EphemeralContainers", ephemeralContainers),
			rules.Hub(builtin.SettingsV1alpha1, "PodPreset", podPreset),
			rules.Hub(corev1.SchemeGroupVersion, "Pod", pod),
			rules.Hub(corev1.SchemeGroupVersion, "PodTemplate", podTemplate),
		},
	}
}
