package objects

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
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
	checkedOnce: kubeversion.NetworkPoliciesCheckedOnce,
	name:        dnsSubdomain,
	spec:        func(p *networkingv1.NetworkPolicy) any { return &p.Spec },

	exactSpec: true,
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
	prepareForCreate: func(s *discoveryv1.EndpointSlice, r request) {
		s.Generation = 1
		dropTopology(s, nil, r)
	},
	// The generation counts what is dropped, and labels.
	prepareForUpdate: func(s, old *discoveryv1.EndpointSlice, r request) {
		of := func(s *discoveryv1.EndpointSlice) any { return []any{s.Labels, s.AddressType, s.Endpoints, s.Ports} }
		if !semantic.DeepEqual(of(s), of(old)) {
			s.Generation = old.Generation + 1
		}
		dropTopology(s, old, r)
	},

	validate:       validateSlice,
	validateUpdate: validateSliceUpdate,
	onUpdate:       checkNothing,
	warnings:       sliceWarnings,
}

// dropTopology drops the topology of endpoints, which only v1beta1 has, unless nothing about
// them changes. A node's name in it is kept if it was there before.
func dropTopology(s, old *discoveryv1.EndpointSlice, r request) {
	if r.Resource.Version == "v1beta1" || old != nil && semantic.DeepEqual(old.Endpoints, s.Endpoints) {
		return
	}
	known := map[string]bool{}
	if old != nil {
		for _, e := range old.Endpoints {
			known[e.DeprecatedTopology[corev1.LabelHostname]] = true
		}
	}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if name := e.DeprecatedTopology[corev1.LabelHostname]; e.NodeName == nil && known[name] && len(dnsSubdomain(name, false)) == 0 {
			e.NodeName = &name
		}
		e.DeprecatedTopology = nil
	}
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
