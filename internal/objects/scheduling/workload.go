// kubernetes/kubernetes:pkg/apis/scheduling/validation/validation.go

package scheduling

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// workloadV1alpha1 follows pkg/apis/scheduling of 1.35.
var workloadV1alpha1 = rules.Of[*builtin.Workload]{
	Undeclared: true, // it shares types with v1alpha2, which has declared rules

	Name:     rules.DNSSubdomain,
	Validate: validateWorkloadV1alpha1,
	ValidateUpdate: func(w, old *builtin.Workload, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		if old.Spec.ControllerRef != nil {
			errs.Add(rules.ImmutableInternal(w.Spec.ControllerRef, old.Spec.ControllerRef, field.NewPath("controllerRef")))
		}
		errs.Add(rules.ImmutableInternal(w.Spec.PodGroups, old.Spec.PodGroups, field.NewPath("podGroups")))
		return errs.List()
	},
}

const maxPodGroups = 8

func validateWorkloadV1alpha1(w *builtin.Workload, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	if c, at := w.Spec.ControllerRef, rules.SpecPath.Child("controllerRef"); c != nil {
		errs.Add(rules.SubdomainIfGiven(at.Child("apiGroup"), c.APIGroup))
		errs.Add(rules.PathName(at.Child("kind"), c.Kind))
		errs.Add(rules.PathName(at.Child("name"), c.Name))
	}
	at := rules.SpecPath.Child("podGroups")
	if len(w.Spec.PodGroups) == 0 {
		errs.Required(at, "must have at least one item")
		return errs.List()
	}
	seen := map[string]bool{}
	errs.Add(rules.EachOf(w.Spec.PodGroups, maxPodGroups, at, func(g builtin.WorkloadPodGroup, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.Faults(at.Child("name"), g.Name, rules.DNS1123Label(g.Name)))
		if seen[g.Name] {
			errs.Duplicate(at.Child("name"), g.Name)
		}
		seen[g.Name] = true
		errs.Add(podGroupPolicy(g.Policy, at.Child("policy")))
		return errs.List()
	}))
	return errs.List()
}

func podGroupPolicy(p builtin.WorkloadPodGroupPolicy, at *field.Path) field.ErrorList {
	const one = "exactly one of `basic`, `gang` is required"
	switch {
	case p.Basic == nil && p.Gang == nil:
		return field.ErrorList{field.Required(at, one)}
	case p.Basic != nil && p.Gang != nil:
		return field.ErrorList{field.Invalid(at, "{`basic`, `gang`}", one+", but multiple fields are set")}
	case p.Gang != nil:
		return rules.Unless(p.Gang.MinCount > 0, at.Child("gang", "minCount"), int64(p.Gang.MinCount), "must be greater than zero")
	}
	return nil
}
