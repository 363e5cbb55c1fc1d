package objects

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var priorityClass = rules[*schedulingv1.PriorityClass]{
	validate:         validatePriorityClass,
	validateUpdate:   validatePriorityClassUpdate,
	onUpdate:         checkChange,
	name:             dnsSubdomain,
	defaults:         func(c *schedulingv1.PriorityClass) { setDefault(&c.PreemptionPolicy, corev1.PreemptLowerPriority) },
	prepareForCreate: func(c *schedulingv1.PriorityClass, _ request) { c.Generation = 1 },
}

var runtimeClass = rules[*nodev1.RuntimeClass]{
	name: dnsSubdomain,

	anyFinalizer: true,

	validate: validateRuntimeClass,
	validateUpdate: func(c, old *nodev1.RuntimeClass, _ request) field.ErrorList {
		return validation.ValidateImmutableField(c.Handler, old.Handler, field.NewPath("handler"))
	},
	defaults: func(c *nodev1.RuntimeClass) {
		if c.Overhead != nil {
			roundUp(c.Overhead.PodFixed)
		}
	},
	behaviour: Behaviour{CreateOnUpdate: true},
}

var lease = rules[*coordinationv1.Lease]{
	onUpdate:  checkKind,
	validate:  validateLease,
	name:      dnsSubdomain,
	behaviour: Behaviour{CreateOnUpdate: true},

	anyFinalizer: true,
}
