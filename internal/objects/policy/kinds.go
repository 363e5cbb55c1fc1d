// Package policy has the rules of PodDisruptionBudget and PodSecurityPolicy. It follows
// kubernetes/kubernetes:pkg/apis/policy and the strategies of pkg/registry.
package policy

import (
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/removed"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(policyv1.SchemeGroupVersion, "PodDisruptionBudget", podDisruptionBudget),
			rules.Hub(removed.PolicyV1beta1, "PodSecurityPolicy", podSecurityPolicy),
		},
		Versions: []*rules.Version{
			rules.Extended(rules.Reshape[*policyv1beta1.PodDisruptionBudget](policyv1beta1.SchemeGroupVersion, policyv1.SchemeGroupVersion, "PodDisruptionBudget", nil), budgetToHub, budgetFromHub),
			rules.Reshape[*removed.PodSecurityPolicy](removed.ExtensionsV1beta1, removed.PolicyV1beta1, "PodSecurityPolicy", nil),
		},
	}
}
