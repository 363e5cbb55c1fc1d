// kubernetes/kubernetes:pkg/apis/flowcontrol/v1beta2/conversion.go

package flowcontrol

import (
	"encoding/json"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// priorityLevelVersions returns the versions with fields in other places.
func priorityLevelVersions() []*rules.Version {
	const level = "PriorityLevelConfiguration"
	beta3 := rules.Reshaped(flowcontrolv1beta3.SchemeGroupVersion.WithKind(level), flowcontrolv1.SchemeGroupVersion.WithKind(level))
	beta3.Complete, beta3.CompleteHub = annotateZeroShares, readZeroShares
	return []*rules.Version{
		beta3,
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

// In v1beta3, no shares mean the default, unless an annotation says that they are really none.
func annotateZeroShares(obj, hub runtime.Object, r *kubeversion.Release) {
	c := obj.(*flowcontrolv1beta3.PriorityLevelConfiguration)
	limited := hub.(*flowcontrolv1.PriorityLevelConfiguration).Spec.Limited
	if limited != nil && ptr.Deref(limited.NominalConcurrencyShares, 0) == 0 && r.Has(kubeversion.ZeroSharesAnnotated) {
		c.Annotations = rules.With(c.Annotations, keepsZeroShares, "")
	}
}

func readZeroShares(hub, _ runtime.Object, r *kubeversion.Release) {
	c := hub.(*flowcontrolv1.PriorityLevelConfiguration)
	if rules.Has(c.Annotations, keepsZeroShares) && r.Has(kubeversion.ZeroSharesAnnotated) {
		c.Annotations = rules.Without(c.Annotations, keepsZeroShares)
		return
	}
	if limited := c.Spec.Limited; limited != nil && ptr.Deref(limited.NominalConcurrencyShares, 0) == 0 {
		limited.NominalConcurrencyShares = nil
	}
}
