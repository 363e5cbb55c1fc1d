package objects

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var flowSchema = rules[*flowcontrolv1.FlowSchema]{
	name:           dnsSubdomain,
	spec:           func(s *flowcontrolv1.FlowSchema) any { return &s.Spec },
	status:         func(s *flowcontrolv1.FlowSchema) any { return &s.Status },
	defaults:       func(s *flowcontrolv1.FlowSchema) { setZero(&s.Spec.MatchingPrecedence, 1000) },
	validate:       validateFlowSchema,
	validateUpdate: validateFlowSchemaUpdate,
	onUpdate:       checkNothing,
	prepareForUpdate: func(s, old *flowcontrolv1.FlowSchema, r request) {
		if r.Subresource == "status" {
			s.ObjectMeta = metadataBefore(s.ObjectMeta, old.ObjectMeta)
		}
	},
}

var priorityLevelConfiguration = rules[*flowcontrolv1.PriorityLevelConfiguration]{
	name:           dnsSubdomain,
	spec:           func(c *flowcontrolv1.PriorityLevelConfiguration) any { return &c.Spec },
	status:         func(c *flowcontrolv1.PriorityLevelConfiguration) any { return &c.Status },
	defaults:       defaultPriorityLevel,
	validate:       validatePriorityLevel,
	validateUpdate: validatePriorityLevelUpdate,
	onUpdate:       checkNothing,
	prepareForUpdate: func(c, old *flowcontrolv1.PriorityLevelConfiguration, r request) {
		if r.Subresource == "status" {
			c.ObjectMeta = metadataBefore(c.ObjectMeta, old.ObjectMeta)
		}
	},
}

// metadataBefore is the metadata that an object had, but for who manages which fields.
func metadataBefore(is, was metav1.ObjectMeta) metav1.ObjectMeta {
	before := *was.DeepCopy()
	before.ManagedFields = is.ManagedFields
	return before
}

func defaultPriorityLevel(c *flowcontrolv1.PriorityLevelConfiguration) {
	if e := c.Spec.Exempt; e != nil {
		setDefault(&e.NominalConcurrencyShares, 0)
		setDefault(&e.LendablePercent, 0)
	}
	if l := c.Spec.Limited; l != nil {
		setDefault(&l.NominalConcurrencyShares, 30)
		setDefault(&l.LendablePercent, 0)
		if q := l.LimitResponse.Queuing; q != nil {
			setZero(&q.Queues, 64)
			setZero(&q.HandSize, 8)
			setZero(&q.QueueLengthLimit, 50)
		}
	}
}
