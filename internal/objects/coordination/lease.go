// kubernetes/kubernetes:pkg/registry/coordination/lease/strategy.go
// kubernetes/kubernetes:pkg/apis/coordination/validation/validation.go

package coordination

import (
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var lease = rules.Of[*coordinationv1.Lease]{
	OnUpdate:  rules.CheckKind,
	Validate:  validateLease,
	Name:      rules.DNSSubdomain,
	Behaviour: rules.Behaviour{CreateOnUpdate: true},

	AnyFinalizer: true,
}

func validateLease(l *coordinationv1.Lease, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if d := l.Spec.LeaseDurationSeconds; d != nil {
		errs.Add(rules.Unless(*d > 0, rules.SpecPath.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := l.Spec.LeaseTransitions; n != nil {
		wrong := "must be greater than or equal to 0"
		if !r.Release.Has(kubeversion.LeaseTransitionsSpelled) {
			wrong = "must to greater or equal than 0"
		}
		errs.Add(rules.Unless(*n >= 0, rules.SpecPath.Child("leaseTransitions"), *n, wrong))
	}
	s := l.Spec.Strategy
	if s != nil {
		errs.Add(leaseStrategy(*s, rules.SpecPath.Child("strategy")))
	}
	if h := l.Spec.PreferredHolder; h != nil && *h != "" && (s == nil || *s == "") {
		errs.Forbidden(rules.SpecPath.Child("preferredHolder"), "may only be specified if `strategy` is defined")
	}
	return errs.List()
}

// leaseStrategy checks the strategy for choosing a leader. The path in errors is slightly wrong, as in the server.
func leaseStrategy(s coordinationv1.CoordinatedLeaseStrategy, at *field.Path) field.ErrorList {
	at = at.Child("strategy")
	if strings.Contains(string(s), "/") {
		return rules.Faults(at, s, utilvalidation.IsQualifiedName(string(s)))
	}
	return rules.OneOf(&s, []string{string(coordinationv1.OldestEmulationVersion)}, at)
}
