// kubernetes/kubernetes:pkg/registry/scheduling/priorityclass/strategy.go
// kubernetes/kubernetes:pkg/apis/scheduling/v1/defaults.go

package scheduling

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

var priorityClass = rules.Of[*schedulingv1.PriorityClass]{
	Validate:       validatePriorityClass,
	ValidateUpdate: validatePriorityClassUpdate,
	OnUpdate:       rules.CheckChange,
	Name:           rules.DNSSubdomain,
	Defaults: func(c *schedulingv1.PriorityClass) {
		rules.SetDefault(&c.PreemptionPolicy, corev1.PreemptLowerPriority)
	},
	PrepareForCreate: func(c *schedulingv1.PriorityClass, _ rules.Request) { c.Generation = 1 },
	Behaviour:        rules.Behaviour{Keeps: systemClass},
}

// systemClass returns why one of the server's own classes cannot be deleted:
// kubernetes/kubernetes:pkg/registry/scheduling/priorityclass/storage/storage.go.
func systemClass(name string) (why string) {
	if _, own := SystemPriority(name); own {
		return "this is a system priority class and cannot be deleted"
	}
	return ""
}
