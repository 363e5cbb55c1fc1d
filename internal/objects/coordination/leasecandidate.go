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

var (
	emulationPath = rules.SpecPath.Child("emulationVersion")
	binaryPath    = rules.SpecPath.Child("binaryVersion")
)

func candidateSpec(s *coordinationv1beta1.LeaseCandidateSpec) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Required(s.LeaseName, rules.SpecPath.Child("leaseName")))
	emulation, isEmulation := candidateVersion(s.EmulationVersion, emulationPath)
	errs.Add(isEmulation)
	binary, isBinary := candidateVersion(s.BinaryVersion, binaryPath)
	errs.Add(rules.Required(s.BinaryVersion, binaryPath))
	errs.Add(isBinary)
	errs.Add(notBelow(s.BinaryVersion, binary, emulation))
	at := rules.SpecPath.Child("strategy")
	if s.Strategy == "" {
		errs.Required(at, "")
		return errs.List()
	}
	if s.Strategy == coordinationv1.OldestEmulationVersion {
		errs.Add(versionGiven(emulation, emulationPath))
	}
	errs.Add(leaseStrategy(s.Strategy, at))
	return errs.List()
}

// noVersion is the version of a candidate that does not say which it is.
var noVersion = version.MustParseSemantic("0.0.0")

// candidateVersion returns a version of a candidate, or noVersion if it has none that is valid.
func candidateVersion(text string, at *field.Path) (*version.Version, field.ErrorList) {
	switch {
	case text == "":
		return noVersion, nil
	case !rules.Semver.MatchString(text):
		return noVersion, field.ErrorList{field.Invalid(at, text, "must be a valid semantic version")}
	}
	return version.MustParseSemantic(text), nil
}

// notBelow requires that a program emulates no later version than its own.
func notBelow(text string, binary, emulation *version.Version) field.ErrorList {
	if text == "" {
		return nil
	}
	return rules.Unless(!binary.LessThan(emulation), binaryPath, text, "must be greater than or equal to `emulationVersion`")
}

// versionGiven requires a version that the strategy compares.
func versionGiven(v *version.Version, at *field.Path) field.ErrorList {
	if v.EqualTo(noVersion) {
		return field.ErrorList{field.Required(at, "must be specified when `strategy` is 'OldestEmulationVersion'")}
	}
	return nil
}

// leaseCandidateV1alpha1 follows pkg/apis/coordination of 1.31.
var leaseCandidateV1alpha1 = rules.Of[*builtin.LeaseCandidate]{
	Name:      func(name string, _ bool) []string { return utilvalidation.IsConfigMapKey(name) },
	Behaviour: rules.Behaviour{CreateOnUpdate: true},

	AnyFinalizer: true,

	Validate: func(c *builtin.LeaseCandidate, _ rules.Request) field.ErrorList {
		s := &c.Spec
		var errs rules.Errors
		errs.Add(rules.Required(s.LeaseName, rules.SpecPath.Child("leaseName")))
		emulation, isEmulation := candidateVersion(s.EmulationVersion, emulationPath)
		errs.Add(isEmulation)
		binary, isBinary := candidateVersion(s.BinaryVersion, binaryPath)
		errs.Add(isBinary)
		errs.Add(notBelow(s.BinaryVersion, binary, emulation))
		for i, strategy := range s.PreferredStrategies { // repeated ones are not noticed
			if strategy == coordinationv1.OldestEmulationVersion {
				errs.Add(versionGiven(binary, binaryPath))
				errs.Add(versionGiven(emulation, emulationPath))
			}
			errs.Add(leaseStrategy(strategy, rules.SpecPath.Child("preferredStrategies").Index(i)))
		}
		return errs.List()
	},
	ValidateUpdate: func(c, old *builtin.LeaseCandidate, _ rules.Request) field.ErrorList {
		return validation.ValidateImmutableField(c.Spec.LeaseName, old.Spec.LeaseName, rules.SpecPath.Child("leaseName"))
	},
}
