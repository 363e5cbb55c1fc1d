package objects

import (
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"

	"github.com/admsim/admsim/internal/removed"
)

// policyKinds are those of the group.
func policyKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(policyv1.SchemeGroupVersion, "PodDisruptionBudget", podDisruptionBudget),
			hub(removed.PolicyV1beta1, "PodSecurityPolicy", podSecurityPolicy),
		},
		Versions: []*spoke{
			extended(reshape[*policyv1beta1.PodDisruptionBudget](policyv1beta1.SchemeGroupVersion, policyv1.SchemeGroupVersion, "PodDisruptionBudget", nil), budgetToHub, budgetFromHub),
			reshape[*removed.PodSecurityPolicy](removed.ExtensionsV1beta1, removed.PolicyV1beta1, "PodSecurityPolicy", nil),
		},
	}
}
