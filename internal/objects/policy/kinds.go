// Package policy has the rules of PodDisruptionBudget and PodSecurityPolicy, and of requests for evictions, which have
// a group of their own. It follows kubernetes/kubernetes:pkg/apis/policy, pkg/apis/lifecycle and the strategies of
// pkg/registry.
package policy

import (
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of both groups.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(policyv1.SchemeGroupVersion, "PodDisruptionBudget", podDisruptionBudget),
			rules.Hub(builtin.PolicyV1beta1, "PodSecurityPolicy", podSecurityPolicy),
			rules.Hub(lifecyclev1alpha1.SchemeGroupVersion, "Eviction", eviction),
			rules.Hub(lifecyclev1alpha1.SchemeGroupVersion, "EvictionRequest", evictionRequest),
		},
		Versions: []*rules.Version{
			rules.Extended(rules.Reshape[*policyv1beta1.PodDisruptionBudget](policyv1beta1.SchemeGroupVersion, policyv1.SchemeGroupVersion, "PodDisruptionBudget", nil), budgetToHub, budgetFromHub),
			rules.Reshape[*builtin.PodSecurityPolicy](builtin.ExtensionsV1beta1, builtin.PolicyV1beta1, "PodSecurityPolicy", nil),
		},
	}
}
