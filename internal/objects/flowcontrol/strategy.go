// kubernetes/kubernetes:pkg/registry/flowcontrol/flowschema/strategy.go
// kubernetes/kubernetes:pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go
// kubernetes/kubernetes:pkg/apis/flowcontrol/v1/defaults.go

package flowcontrol

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

var flowSchema = rules.Of[*flowcontrolv1.FlowSchema]{
	Name:           rules.DNSSubdomain,
	Spec:           func(s *flowcontrolv1.FlowSchema) any { return &s.Spec },
	Status:         func(s *flowcontrolv1.FlowSchema) any { return &s.Status },
	Defaults:       func(s *flowcontrolv1.FlowSchema) { rules.SetZero(&s.Spec.MatchingPrecedence, 1000) },
	Validate:       validateFlowSchema,
	ValidateUpdate: validateFlowSchemaUpdate,
	OnUpdate:       rules.CheckNothing,
	PrepareForUpdate: func(s, old *flowcontrolv1.FlowSchema, r rules.Request) {
		if r.Subresource == "status" {
			s.ObjectMeta = metadataBefore(s.ObjectMeta, old.ObjectMeta)
		}
	},
}

var priorityLevelConfiguration = rules.Of[*flowcontrolv1.PriorityLevelConfiguration]{
	Name:           rules.DNSSubdomain,
	Spec:           func(c *flowcontrolv1.PriorityLevelConfiguration) any { return &c.Spec },
	Status:         func(c *flowcontrolv1.PriorityLevelConfiguration) any { return &c.Status },
	Defaults:       defaultPriorityLevel,
	Validate:       validatePriorityLevel,
	ValidateUpdate: validatePriorityLevelUpdate,
	OnUpdate:       rules.CheckNothing,
	PrepareForUpdate: func(c, old *flowcontrolv1.PriorityLevelConfiguration, r rules.Request) {
		if r.Subresource == "status" {
			c.ObjectMeta = metadataBefore(c.ObjectMeta, old.ObjectMeta)
		}
	},
}

// metadataBefore returns the old metadata of an object, without managed fields.
func metadataBefore(after, previous metav1.ObjectMeta) metav1.ObjectMeta {
	before := *previous.DeepCopy()
	before.ManagedFields = after.ManagedFields
	return before
}

func defaultPriorityLevel(c *flowcontrolv1.PriorityLevelConfiguration) {
	if e := c.Spec.Exempt; e != nil {
		rules.SetDefault(&e.NominalConcurrencyShares, 0)
		rules.SetDefault(&e.LendablePercent, 0)
	}
	if l := c.Spec.Limited; l != nil {
		rules.SetDefault(&l.NominalConcurrencyShares, 30)
		rules.SetDefault(&l.LendablePercent, 0)
		if q := l.LimitResponse.Queuing; q != nil {
			rules.SetZero(&q.Queues, 64)
			rules.SetZero(&q.HandSize, 8)
			rules.SetZero(&q.QueueLengthLimit, 50)
		}
	}
}
