// kubernetes/kubernetes:pkg/registry/policy/poddisruptionbudget/strategy.go
// kubernetes/kubernetes@v1.24.0:pkg/apis/policy/v1beta1/defaults.go

package policy

import (
	policyv1 "k8s.io/api/policy/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// podSecurityPolicy has the rules of a kind that releases up to 1.24 had. A policy allows processes to gain privileges
// by default.
var podSecurityPolicy = rules.Of[*builtin.PodSecurityPolicy]{
	Name: rules.DNSSubdomain,
	Defaults: func(p *builtin.PodSecurityPolicy) {
		if p.Spec.AllowEscalation == nil {
			yes := true
			p.Spec.AllowEscalation = &yes
		}
	},
	Validate: validatePodSecurityPolicy,
	OnUpdate: rules.CheckKind,
}

var podDisruptionBudget = rules.Of[*policyv1.PodDisruptionBudget]{
	// The kind has no rules of its own for metadata.
	AnyFinalizer:   true,
	Validate:       validateBudget,
	ValidateUpdate: validateBudgetUpdate,
	OnUpdate:       rules.CheckNothing,

	Normalise: func(b *policyv1.PodDisruptionBudget, r *kubeversion.Release) {
		if !r.Has(kubeversion.BudgetsPreparedForV1beta1) {
			stripEmptySelector(b.Spec.Selector)
		}
	},
	PrepareForCreate: func(b *policyv1.PodDisruptionBudget, r rules.Request) {
		if r.Release.Has(kubeversion.BudgetsPreparedForV1beta1) {
			stripEmptySelector(b.Spec.Selector)
		}
	},
	PrepareForUpdate: func(b, old *policyv1.PodDisruptionBudget, r rules.Request) {
		if r.Release.Has(kubeversion.BudgetsPreparedForV1beta1) && !semantic.DeepEqual(b.Spec.Selector, old.Spec.Selector) {
			stripEmptySelector(b.Spec.Selector)
		}
	},

	Spec:   func(b *policyv1.PodDisruptionBudget) any { return &b.Spec },
	Status: func(b *policyv1.PodDisruptionBudget) any { return &b.Status },
}
