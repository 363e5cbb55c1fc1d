package objects

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
)

var ingress = rules[*networkingv1.Ingress]{
	name:   dnsSubdomain,
	spec:   func(i *networkingv1.Ingress) any { return &i.Spec },
	status: func(i *networkingv1.Ingress) any { return &i.Status },

	validate:       validateIngress,
	validateUpdate: validateIngressUpdate,
	onUpdate:       checkChange,
	warnings:       ingressWarnings,
}

var ingressClass = rules[*networkingv1.IngressClass]{
	name: dnsSubdomain,
	spec: func(c *networkingv1.IngressClass) any { return &c.Spec },
	defaults: func(c *networkingv1.IngressClass) {
		if p := c.Spec.Parameters; p != nil {
			setDefault(&p.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
		}
	},
	validate:       validateIngressClass,
	validateUpdate: validateIngressClassUpdate,
}

var networkPolicy = rules[*networkingv1.NetworkPolicy]{
	name: dnsSubdomain,
	spec: func(p *networkingv1.NetworkPolicy) any { return &p.Spec },
	defaults: func(p *networkingv1.NetworkPolicy) {
		for _, rule := range p.Spec.Ingress {
			defaultPolicyPorts(rule.Ports)
		}
		for _, rule := range p.Spec.Egress {
			defaultPolicyPorts(rule.Ports)
		}
		if len(p.Spec.PolicyTypes) == 0 {
			p.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
			if len(p.Spec.Egress) > 0 {
				p.Spec.PolicyTypes = append(p.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
			}
		}
	},
	validate:       validateNetworkPolicy,
	validateUpdate: validateNetworkPolicyUpdate,
	onUpdate:       checkChange,
	warnings:       networkPolicyWarnings,
}

func defaultPolicyPorts(ports []networkingv1.NetworkPolicyPort) {
	for i := range ports {
		setDefault(&ports[i].Protocol, corev1.ProtocolTCP)
	}
}

var endpointSlice = rules[*discoveryv1.EndpointSlice]{
	name: dnsSubdomain,
	defaults: func(s *discoveryv1.EndpointSlice) {
		for i := range s.Ports {
			setDefault(&s.Ports[i].Name, "")
			setDefault(&s.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	},
	spec: func(s *discoveryv1.EndpointSlice) any { return []any{s.AddressType, s.Endpoints, s.Ports} },

	validate:       validateSlice,
	validateUpdate: validateSliceUpdate,
	onUpdate:       checkChange,
}

var podDisruptionBudget = rules[*policyv1.PodDisruptionBudget]{
	// The kind has no rule of its own for metadata.
	anyFinalizer:   true,
	validate:       validateBudget,
	validateUpdate: validateBudgetUpdate,
	onUpdate:       checkNothing,

	spec:   func(b *policyv1.PodDisruptionBudget) any { return &b.Spec },
	status: func(b *policyv1.PodDisruptionBudget) any { return &b.Status },
}
