// kubernetes/kubernetes:pkg/apis/scheduling/validation/validation.go
// kubernetes/kubernetes:pkg/registry/scheduling/podgroup/strategy.go
// kubernetes/kubernetes:pkg/registry/scheduling/workload/strategy.go

package scheduling

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// podGroupV1alpha2 is the PodGroup of 1.36.
var podGroupV1alpha2 = rules.Of[*builtin.PodGroup]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Status:      func(g *builtin.PodGroup) any { return &g.Status },
	StatusAlone: true,
	Defaults: func(g *builtin.PodGroup) {
		rules.SetDefault(&g.Spec.DisruptionMode, builtin.PodGroupDisruptionMode("Pod"))
	},
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(g, _ *builtin.PodGroup, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return nil
		}
		at := field.NewPath("status")
		var errs rules.Errors
		errs.Add(rules.Conditions(r.Release, g.Status.Conditions, at.Child("conditions")))
		for i, s := range g.Status.ResourceClaimStatuses {
			claimed := slices.ContainsFunc(g.Spec.ResourceClaims, func(c builtin.PodGroupResourceClaim) bool { return c.Name == s.Name })
			errs.Add(rules.Unless(claimed, at.Child("resourceClaimStatuses").Index(i).Child("name"), s.Name, "must match the name of an entry in `spec.resourceClaims`"))
		}
		return errs.List()
	},
}

// workloadV1alpha2 is the Workload of 1.36. All of its rules are declared.
var workloadV1alpha2 = rules.Of[*builtin.WorkloadV1alpha2]{
	Name:     rules.DNSSubdomain,
	Declared: true,
	OnUpdate: rules.CheckChange,
}
