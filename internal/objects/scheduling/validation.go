// kubernetes/kubernetes:pkg/apis/scheduling/validation/validation.go

package scheduling

import (
	"fmt"
	"strings"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// HighestUserPriority is the highest value of a class that is not the system's own.
const HighestUserPriority = 1000000000

var preemptionPolicies = []string{"PreemptLowerPriority", "Never"}

func validatePriorityClass(c *schedulingv1.PriorityClass, r rules.Request) field.ErrorList {
	if !r.Release.Has(kubeversion.CriticalClassesStored) {
		return nil // all that there is to check, the plugin Priority checks if it runs (PR-13)
	}
	var errs rules.Errors
	if strings.HasPrefix(c.Name, "system-") {
		if wrong := wrongOfSystem(c); wrong != "" {
			errs.Forbidden(rules.MetadataPath.Child("name"), "priority class names with 'system-' prefix are reserved for system use only. error: "+wrong)
		}
	} else if c.Value > HighestUserPriority {
		errs.Forbidden(field.NewPath("value"), fmt.Sprintf("maximum allowed value of a user defined priority is %d", HighestUserPriority))
	}
	if p := c.PreemptionPolicy; p != nil && *p == "" {
		errs.Required(field.NewPath("preemptionPolicy"), "")
		return errs.List()
	}
	errs.Add(rules.OneOf(c.PreemptionPolicy, preemptionPolicies, field.NewPath("preemptionPolicy")))
	return errs.List()
}

// SystemPriority returns the value of one of the server's own priority classes; ok is false if it has none with that
// name.
func SystemPriority(class string) (value int32, ok bool) {
	switch class {
	case "system-cluster-critical":
		return 2 * HighestUserPriority, true
	case "system-node-critical":
		return 2*HighestUserPriority + 1000, true
	}
	return 0, false
}

// wrongOfSystem returns why a class is not one of the server's own.
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

func validatePriorityClassUpdate(c, old *schedulingv1.PriorityClass, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if c.Value != old.Value {
		at := field.NewPath("value")
		if !r.Release.Has(kubeversion.PriorityValuePath) {
			at = field.NewPath("Value")
		}
		errs.Forbidden(at, "may not be changed in an update.")
	}
	errs.Add(validation.ValidateImmutableField(c.PreemptionPolicy, old.PreemptionPolicy, field.NewPath("preemptionPolicy")))
	return errs.List()
}
