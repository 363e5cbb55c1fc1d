package objects

import (
	"fmt"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const highestUserPriority = 1000000000

var preemptionPolicies = []string{"PreemptLowerPriority", "Never"}

func validatePriorityClass(c *schedulingv1.PriorityClass, _ request) field.ErrorList {
	var errs field.ErrorList
	if !strings.HasPrefix(c.Name, "system-") && c.Value > highestUserPriority {
		errs = append(errs, field.Forbidden(field.NewPath("value"), fmt.Sprintf("maximum allowed value of a user defined priority is %d", highestUserPriority)))
	}
	return append(errs, oneOf(c.PreemptionPolicy, preemptionPolicies, field.NewPath("preemptionPolicy"))...)
}

func validatePriorityClassUpdate(c, old *schedulingv1.PriorityClass, _ request) field.ErrorList {
	var errs field.ErrorList
	if c.Value != old.Value {
		errs = append(errs, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	}
	return append(errs, validation.ValidateImmutableField(c.PreemptionPolicy, old.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
}

func validateLease(l *coordinationv1.Lease, _ request) field.ErrorList {
	var errs field.ErrorList
	if d := l.Spec.LeaseDurationSeconds; d != nil {
		errs = append(errs, unless(*d > 0, specPath.Child("leaseDurationSeconds"), *d, "must be greater than 0")...)
	}
	if n := l.Spec.LeaseTransitions; n != nil {
		errs = append(errs, unless(*n >= 0, specPath.Child("leaseTransitions"), *n, "must be greater than or equal to 0")...)
	}
	return errs
}
