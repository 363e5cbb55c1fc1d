package objects

import (
	"fmt"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

const highestUserPriority = 1000000000

var preemptionPolicies = []string{"PreemptLowerPriority", "Never"}

func validatePriorityClass(c *schedulingv1.PriorityClass, _ request) field.ErrorList {
	var errs field.ErrorList
	if strings.HasPrefix(c.Name, "system-") {
		if wrong := wrongOfSystem(c); wrong != "" {
			errs = append(errs, field.Forbidden(metadataPath.Child("name"), "priority class names with 'system-' prefix are reserved for system use only. error: "+wrong))
		}
	} else if c.Value > highestUserPriority {
		errs = append(errs, field.Forbidden(field.NewPath("value"), fmt.Sprintf("maximum allowed value of a user defined priority is %d", highestUserPriority)))
	}
	if p := c.PreemptionPolicy; p != nil && *p == "" {
		return append(errs, field.Required(field.NewPath("preemptionPolicy"), ""))
	}
	return append(errs, oneOf(c.PreemptionPolicy, preemptionPolicies, field.NewPath("preemptionPolicy"))...)
}

// SystemPriority is the value of one of the server's own priority classes; ok is false where it
// has none of that name.
func SystemPriority(class string) (value int32, ok bool) {
	switch class {
	case "system-cluster-critical":
		return 2 * highestUserPriority, true
	case "system-node-critical":
		return 2*highestUserPriority + 1000, true
	}
	return 0, false
}

// wrongOfSystem tells what keeps a class from being one of the server's own.
func wrongOfSystem(c *schedulingv1.PriorityClass) string {
	value, known := SystemPriority(c.Name)
	switch {
	case !known:
		return c.Name + " is not a known system priority class"
	case c.Value != value:
		return fmt.Sprintf("value of %s PriorityClass must be %d", c.Name, value)
	case c.GlobalDefault:
		return fmt.Sprintf("globalDefault of %s PriorityClass must be false", c.Name)
	}
	return ""
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

func validateRuntimeClass(c *nodev1.RuntimeClass, r request) field.ErrorList {
	errs := given(field.NewPath("handler"), c.Handler, dns1123Label)
	if o := c.Overhead; o != nil {
		errs = append(errs, validateResources(&corev1.ResourceRequirements{Limits: o.PodFixed}, containerResource, nil, field.NewPath("overhead"))...)
	}
	s := c.Scheduling
	if s == nil {
		return errs
	}
	at := field.NewPath("scheduling")
	errs = append(errs, metav1validation.ValidateLabels(s.NodeSelector, at.Child("nodeSelector"))...)
	tolerations := at.Child("tolerations")
	if !r.Release.Has(kubeversion.RuntimeClassTolerationsPath) {
		tolerations = tolerations.Child("tolerations") // what the server said, is not where they are
	}
	errs = append(errs, validateTolerations(s.Tolerations, tolerations)...)
	seen := map[corev1.Toleration]bool{}
	for i, t := range s.Tolerations {
		key := corev1.Toleration{Key: t.Key, Operator: t.Operator, Value: t.Value, Effect: t.Effect}
		if seen[key] {
			errs = append(errs, field.Duplicate(at.Child("tolerations").Index(i), asInternal(t)))
		}
		seen[key] = true
	}
	return errs
}
