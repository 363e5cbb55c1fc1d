// kubernetes/kubernetes:pkg/apis/coordination/validation/validation.go

package coordination

import (
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/removed"
)

// leaseCandidateV1alpha1 follows pkg/apis/coordination of 1.31.
var leaseCandidateV1alpha1 = rules.Of[*removed.LeaseCandidate]{
	Name:      func(name string, _ bool) []string { return utilvalidation.IsConfigMapKey(name) },
	Behaviour: rules.Behaviour{CreateOnUpdate: true},
	Validate: func(c *removed.LeaseCandidate, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		if c.Spec.LeaseName == "" {
			errs.Required(rules.SpecPath.Child("leaseName"), "")
		}
		for _, version := range []struct{ name, value string }{{"emulationVersion", c.Spec.EmulationVersion}, {"binaryVersion", c.Spec.BinaryVersion}} {
			if version.value != "" {
				errs.Add(rules.Unless(rules.Semver().MatchString(version.value), rules.SpecPath.Child(version.name), version.value, "must be a valid semantic version"))
			}
		}
		return errs.List()
	},
	ValidateUpdate: func(c, old *removed.LeaseCandidate, _ rules.Request) field.ErrorList {
		return validation.ValidateImmutableField(c.Spec.LeaseName, old.Spec.LeaseName, rules.SpecPath.Child("leaseName"))
	},
}
