// Package pod has the rules of pod templates, and of everything else that contains containers or volumes. What is special
// about pods themselves is in package core. It follows kubernetes/kubernetes:pkg/apis/core and pkg/api/pod.
package pod

import (
	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kind that consists of parts of pods.
func Kinds() rules.Kinds {
	return rules.Kinds{Hubs: []rules.Kind{rules.Hub(builtin.SettingsV1alpha1, "PodPreset", podPreset)}}
}
