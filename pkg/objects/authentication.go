package objects

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

var tokenRequest = rules[*authenticationv1.TokenRequest]{
	defaults: func(t *authenticationv1.TokenRequest) { setDefault(&t.Spec.ExpirationSeconds, 3600) },
}

var flowSchema = rules[*flowcontrolv1.FlowSchema]{
	name:     dnsSubdomain,
	spec:     func(s *flowcontrolv1.FlowSchema) any { return &s.Spec },
	status:   func(s *flowcontrolv1.FlowSchema) any { return &s.Status },
	defaults: func(s *flowcontrolv1.FlowSchema) { setZero(&s.Spec.MatchingPrecedence, 1000) },
}

var priorityLevelConfiguration = rules[*flowcontrolv1.PriorityLevelConfiguration]{
	name:   dnsSubdomain,
	spec:   func(c *flowcontrolv1.PriorityLevelConfiguration) any { return &c.Spec },
	status: func(c *flowcontrolv1.PriorityLevelConfiguration) any { return &c.Status },
	defaults: func(c *flowcontrolv1.PriorityLevelConfiguration) {
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
	},
}
