// Package policy has the rules of PodDisruptionBudget and PodSecurityPolicy. It follows
// kubernetes/kubernetes:pkg/apis/policy and the strategies of pkg/registry.
package policy

import (
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(policyv1.SchemeGroupVersion, "PodDisruptionBudget", podDisruptionBudget),
			rules.Hub(builtin.PolicyV1beta1, "PodSecurityPolicy", podSecurityPolicy),
		},
		Versions: []*rules.Version{
			rules.Extended(rules.Reshape[*policyv1beta1.PodDisruptionBudget](policyv1beta1.SchemeGroupVersion, policyv1.SchemeGroupVersion, "PodDisruptionBudget", nil), budgetToHub, budgetFromHub),
			rules.Reshape[*builtin.PodSecurityPolicy](builtin.ExtensionsV1beta1, builtin.PolicyV1beta1, "PodSecurityPolicy", nil),
		},
	}
}
