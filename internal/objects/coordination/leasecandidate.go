// kubernetes/kubernetes:pkg/apis/coordination/validation/validation.go

package coordination

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

var leaseCandidate = rules.Of[*coordinationv1beta1.LeaseCandidate]{
	Name:      func(name string, _ bool) []string { return utilvalidation.IsConfigMapKey(name) },
	Declared:  true,
	Behaviour: rules.Behaviour{CreateOnUpdate: true},

	AnyFinalizer: true,

	OnUpdate: rules.CheckKind,
	Validate: func(c *coordinationv1beta1.LeaseCandidate, _ rules.Request) field.ErrorList {
		return candidateSpec(&c.Spec)
	},
	ValidateUpdate: func(c, old *coordinationv1beta1.LeaseCandidate, _ rules.Request) field.ErrorList {
		return validation.ValidateImmutableField(c.Spec.LeaseName, old.Spec.LeaseName, rules.SpecPath.Child("leaseName"))
	},
}

func candidateSpec(s *coordinationv1beta1.LeaseCandidateSpec) field.ErrorList {
	emulationAt, binaryAt := rules.SpecPath.Child("emulationVersion"), rules.SpecPath.Child("binaryVersion")
	var errs rules.Errors
	errs.Add(rules.Required(s.LeaseName, rules.SpecPath.Child("leaseName")))
	read := func(text string, at *field.Path) *version.Version {
		if !rules.Semver.MatchString(text) {
			errs.Invalid(at, text, "must be a valid semantic version")
			return version.MustParseSemantic("0.0.0")
		}
		return version.MustParseSemantic(text)
	}
	emulation, binary := version.MustParseSemantic("0.0.0"), version.MustParseSemantic("0.0.0")
	if s.EmulationVersion != "" {
		emulation = read(s.EmulationVersion, emulationAt)
	}
	if s.BinaryVersion == "" {
		errs.Required(binaryAt, "")
	} else {
		binary = read(s.BinaryVersion, binaryAt)
	}
	if s.BinaryVersion != "" && s.EmulationVersion != "" && binary.LessThan(emulation) {
		errs.Invalid(binaryAt, s.BinaryVersion, "must be greater than or equal to `emulationVersion`")
	}
	at := rules.SpecPath.Child("strategy")
	if s.Strategy == "" {
		errs.Required(at, "")
		return errs.List()
	}
	if s.Strategy == coordinationv1.OldestEmulationVersion && emulation.EqualTo(version.MustParseSemantic("0.0.0")) {
		errs.Required(emulationAt, "must be specified when `strategy` is 'OldestEmulationVersion'")
	}
	errs.Add(leaseStrategy(s.Strategy, at))
	return errs.List()
}

// leaseCandidateV1alpha1 follows pkg/apis/coordination of 1.31.
var leaseCandidateV1alpha1 = rules.Of[*builtin.LeaseCandidate]{
	Name:      func(name string, _ bool) []string { return utilvalidation.IsConfigMapKey(name) },
	Behaviour: rules.Behaviour{CreateOnUpdate: true},

	AnyFinalizer: true,

	Validate: func(c *builtin.LeaseCandidate, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		if c.Spec.LeaseName == "" {
			errs.Required(rules.SpecPath.Child("leaseName"), "")
		}
		for _, version := range []struct{ name, value string }{{"emulationVersion", c.Spec.EmulationVersion}, {"binaryVersion", c.Spec.BinaryVersion}} {
			if version.value != "" {
				errs.Add(rules.Unless(rules.Semver.MatchString(version.value), rules.SpecPath.Child(version.name), version.value, "must be a valid semantic version"))
			}
		}
		return errs.List()
	},
	ValidateUpdate: func(c, old *builtin.LeaseCandidate, _ rules.Request) field.ErrorList {
		return validation.ValidateImmutableField(c.Spec.LeaseName, old.Spec.LeaseName, rules.SpecPath.Child("leaseName"))
	},
}
