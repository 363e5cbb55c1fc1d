// kubernetes/kubernetes:pkg/apis/flowcontrol/v1beta2/conversion.go

package flowcontrol

import (
	"encoding/json"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// priorityLevelVersions returns the versions with fields in other places.
func priorityLevelVersions() []*rules.Version {
	const level = "PriorityLevelConfiguration"
	return []*rules.Version{
		rules.Moved(builtin.FlowcontrolV1alpha1, flowcontrolv1.SchemeGroupVersion, level, nominalShares, assuredShares),
		rules.Moved(flowcontrolv1beta1.SchemeGroupVersion, flowcontrolv1.SchemeGroupVersion, level, nominalShares, assuredShares),
		rules.Moved(flowcontrolv1beta2.SchemeGroupVersion, flowcontrolv1.SchemeGroupVersion, level, nominalShares, assuredShares),
	}
}

// The shares of a priority level were called assured up to v1beta2, and none meant the default.
func nominalShares(c map[string]any) {
	limited := rules.Under(c, "spec", "limited")
	if limited["assuredConcurrencyShares"] == any(json.Number("0")) {
		delete(limited, "assuredConcurrencyShares")
	}
	rules.Rename(limited, "assuredConcurrencyShares", "nominalConcurrencyShares")
}

func assuredShares(c map[string]any) {
	rules.Rename(rules.Under(c, "spec", "limited"), "nominalConcurrencyShares", "assuredConcurrencyShares")
}
