// kubernetes/kubernetes:pkg/registry/networking/ingress/strategy.go
// kubernetes/kubernetes:pkg/registry/networking/ingressclass/strategy.go
// kubernetes/kubernetes:pkg/registry/networking/networkpolicy/strategy.go
// kubernetes/kubernetes:pkg/apis/networking/v1/defaults.go

package networking

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var ingress = rules.Of[*networkingv1.Ingress]{
	Name:   rules.DNSSubdomain,
	Spec:   func(i *networkingv1.Ingress) any { return &i.Spec },
	Status: func(i *networkingv1.Ingress) any { return &i.Status },

	Validate:       validateIngress,
	ValidateUpdate: validateIngressUpdate,
	OnUpdate:       rules.CheckChange,
	CheckedOnce:    kubeversion.IngressesCheckedOnce,
	Warnings:       ingressWarnings,
	WarnsSince:     kubeversion.MoreKindWarnings,
}

var ingressClass = rules.Of[*networkingv1.IngressClass]{
	Name: rules.DNSSubdomain,
	Spec: func(c *networkingv1.IngressClass) any { return &c.Spec },
	Defaults: func(c *networkingv1.IngressClass) {
		if p := c.Spec.Parameters; p != nil {
			rules.SetDefault(&p.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
		}
	},
	Validate:       validateIngressClass,
	ValidateUpdate: validateIngressClassUpdate,
}

var networkPolicy = rules.Of[*networkingv1.NetworkPolicy]{
	CheckedOnce: kubeversion.NetworkPoliciesCheckedOnce,
	Name:        rules.DNSSubdomain,
	Spec:        func(p *networkingv1.NetworkPolicy) any { return &p.Spec },

	ExactSpec:    true,
	StatusInBody: func(r rules.Request) bool { return !r.Release.Enabled("NetworkPolicyStatus") },
	PrepareForUpdate: func(p, old *networkingv1.NetworkPolicy, r rules.Request) {
		hasStatus := func(p *networkingv1.NetworkPolicy) bool { return len(policyStatus(p).Conditions) > 0 }
		if r.Release.Enabled("NetworkPolicyStatus") {
			return
		}
		if r.Subresource == "status" && hasStatus(p) || r.Subresource == "" && hasStatus(old) {
			rules.SetFormer(p, old.Annotations, "status")
		}
	},
	Defaults: func(p *networkingv1.NetworkPolicy) {
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
	Validate:       validateNetworkPolicy,
	ValidateUpdate: validateNetworkPolicyUpdate,
	OnUpdate:       rules.CheckChange,
	Warnings:       networkPolicyWarnings,
	WarnsSince:     kubeversion.AddressWarnings,
}

// policyStatus returns the status that a policy has in some releases (1.24 to 1.27). While its gate is off, it can be set
// with the rest of the policy, and afterwards only be cleared.
func policyStatus(p *networkingv1.NetworkPolicy) builtin.NetworkPolicyStatus {
	return rules.Former[builtin.NetworkPolicyStatus](p.Annotations, "status")
}

func defaultPolicyPorts(ports []networkingv1.NetworkPolicyPort) {
	for i := range ports {
		rules.SetDefault(&ports[i].Protocol, corev1.ProtocolTCP)
	}
}
