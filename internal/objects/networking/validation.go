// kubernetes/kubernetes:pkg/apis/networking/validation/validation.go

package networking

import (
	"net"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var (
	policyTypes = []string{string(networkingv1.PolicyTypeIngress), string(networkingv1.PolicyTypeEgress)}
	// policyProtocols are in the order of messages, which is different for services.
	policyProtocols = []string{"TCP", "UDP", "SCTP"}
)

// A policyCheck checks a network policy: kubernetes/kubernetes:pkg/apis/networking/validation.
type policyCheck struct {
	rules.Request
	selectors metav1validation.LabelSelectorValidationOptions
	oldCIDRs  []string // these remain allowed
}

func validateNetworkPolicy(p *networkingv1.NetworkPolicy, r rules.Request) field.ErrorList {
	errs := policyCheck{Request: r, selectors: rules.StrictLabelValues}.spec(&p.Spec)
	if r.Old == nil {
		errs = append(errs, rules.WithoutSCTP(r.Release, p, nil, sctpPorts)...)
	}
	return errs
}

func sctpPorts(p *networkingv1.NetworkPolicy) []*field.Path {
	var paths []*field.Path
	note := func(ports []networkingv1.NetworkPolicyPort, at *field.Path) {
		for i, p := range ports {
			if p.Protocol != nil && *p.Protocol == corev1.ProtocolSCTP {
				paths = append(paths, at.Child("ports").Index(i).Child("protocol"))
			}
		}
	}
	for i, rule := range p.Spec.Ingress {
		note(rule.Ports, rules.SpecPath.Child("ingress").Index(i))
	}
	for i, rule := range p.Spec.Egress {
		note(rule.Ports, rules.SpecPath.Child("egress").Index(i))
	}
	return paths
}

func validateNetworkPolicyUpdate(p, old *networkingv1.NetworkPolicy, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return metav1validation.ValidateConditions(policyStatus(p).Conditions, field.NewPath("status", "conditions"))
	}
	c := policyCheck{Request: r, selectors: rules.StrictLabelValues}
	if len(metav1validation.ValidateLabelSelector(&old.Spec.PodSelector, rules.StrictLabelValues, nil)) > 0 {
		c.selectors = rules.TolerantOfLabelValues
	}
	for _, b := range ipBlocks(old) {
		c.oldCIDRs = append(append(c.oldCIDRs, b.block.CIDR), b.block.Except...)
	}
	return append(c.spec(&p.Spec), rules.WithoutSCTP(r.Release, p, old, sctpPorts)...)
}

func (c policyCheck) spec(s *networkingv1.NetworkPolicySpec) field.ErrorList {
	var errs rules.Errors
	errs.Add(metav1validation.ValidateLabelSelector(&s.PodSelector, c.selectors, rules.SpecPath.Child("podSelector")))
	for i, rule := range s.Ingress {
		path := rules.SpecPath.Child("ingress").Index(i)
		errs.Add(policyPorts(rule.Ports, c.Release, path.Child("ports")))
		errs.Add(c.peers(rule.From, path.Child("from")))
	}
	for i, rule := range s.Egress {
		path := rules.SpecPath.Child("egress").Index(i)
		errs.Add(policyPorts(rule.Ports, c.Release, path.Child("ports")))
		errs.Add(c.peers(rule.To, path.Child("to")))
	}
	path := rules.SpecPath.Child("policyTypes")
	if len(s.PolicyTypes) > len(policyTypes) {
		errs.Invalid(path, s.PolicyTypes, "may not specify more than two policyTypes")
		return errs.List()
	}
	for i, t := range s.PolicyTypes {
		if c.Release.Has(kubeversion.PolicyTypesOnce) {
			errs.Add(rules.OneOf(&t, policyTypes, path.Index(i)))
			continue
		}
		for _, other := range s.PolicyTypes { // each type has the errors of all
			if !slices.Contains(policyTypes, string(other)) {
				errs.Append(field.NotSupported(path.Index(i), t, policyTypes))
			}
		}
	}
	return errs.List()
}

func policyPorts(ports []networkingv1.NetworkPolicyPort, r *kubeversion.Release, path *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, p := range ports {
		errs.Add(rules.OneOf(p.Protocol, policyProtocols, path.Index(i).Child("protocol")))
		errs.Add(policyPort(p, r, path.Index(i).Child("port"), path.Index(i).Child("endPort")))
	}
	return errs.List()
}

func policyPort(p networkingv1.NetworkPolicyPort, r *kubeversion.Release, port, end *field.Path) field.ErrorList {
	var errs rules.Errors
	switch {
	case p.Port == nil && p.EndPort != nil:
		return field.ErrorList{field.Invalid(end, *p.EndPort, "may not be specified when `port` is not specified")}
	case p.Port == nil:
		return nil
	case p.Port.Type == intstr.String:
		if p.EndPort != nil {
			errs.Invalid(end, *p.EndPort, "may not be specified when `port` is non-numeric")
		}
		errs.Add(rules.Faults(port, p.Port.StrVal, utilvalidation.IsValidPortName(p.Port.StrVal)))
		return errs.List()
	}
	errs.Add(rules.Faults(port, p.Port.IntVal, utilvalidation.IsValidPortNum(int(p.Port.IntVal))))
	if p.EndPort == nil {
		return errs.List()
	}
	if *p.EndPort < p.Port.IntVal {
		shown := p.Port.IntVal
		if r.Has(kubeversion.EndPortShown) {
			shown = *p.EndPort
		}
		errs.Invalid(end, shown, "must be greater than or equal to `port`")
	}
	errs.Add(rules.Faults(end, *p.EndPort, utilvalidation.IsValidPortNum(int(*p.EndPort))))
	return errs.List()
}

func (c policyCheck) peers(peers []networkingv1.NetworkPolicyPeer, path *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, p := range peers {
		path := path.Index(i)
		hasSelector := p.PodSelector != nil || p.NamespaceSelector != nil
		errs.Add(c.selector(p.PodSelector, path.Child("podSelector")))
		errs.Add(c.selector(p.NamespaceSelector, path.Child("namespaceSelector")))
		if p.IPBlock != nil {
			errs.Add(c.block(p.IPBlock, path.Child("ipBlock")))
		}
		switch {
		case !hasSelector && p.IPBlock == nil:
			errs.Required(path, "must specify a peer")
		case hasSelector && p.IPBlock != nil:
			errs.Forbidden(path, "may not specify both ipBlock and another peer")
		}
	}
	return errs.List()
}

func (c policyCheck) selector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(s, c.selectors, path)
}

func (c policyCheck) block(b *networkingv1.IPBlock, path *field.Path) field.ErrorList {
	if b.CIDR == "" {
		return field.ErrorList{field.Required(path.Child("cidr"), "")}
	}
	var errs rules.Errors
	explained := c.Release.Has(kubeversion.AddressesExplained)
	if wrong := rules.Range(path.Child("cidr"), b.CIDR, c.oldCIDRs, c.Request); len(wrong) > 0 && !explained {
		errs.Invalid(path.Child("cidr"), b.CIDR, "not a valid CIDR")
	} else {
		errs.Add(wrong)
	}
	_, whole, err := netutils.ParseCIDRSloppy(b.CIDR)
	if err != nil {
		return errs.List()
	}
	for i, e := range b.Except {
		path := path.Child("except").Index(i)
		wrong := rules.Range(path, e, c.oldCIDRs, c.Request)
		if len(wrong) > 0 && !explained {
			errs.Invalid(path, e, "not a valid CIDR")
			return errs.List()
		}
		errs.Add(wrong)
		switch _, part, err := netutils.ParseCIDRSloppy(e); {
		case err != nil:
		case !c.Release.Has(kubeversion.ExceptionsSmaller):
			errs.Add(rules.Unless(whole.Contains(part.IP), path, part.IP, "not within CIDR range"))
		case !strictlyWithin(part, whole):
			errs.Invalid(path, e, "must be a strict subset of `cidr`")
		}
	}
	return errs.List()
}

func strictlyWithin(part, whole *net.IPNet) bool {
	outer, _ := whole.Mask.Size()
	inner, _ := part.Mask.Size()
	return whole.Contains(part.IP) && outer < inner
}

// A blockAt is an IP block of a policy with its path.
type blockAt struct {
	block *networkingv1.IPBlock
	path  *field.Path
}

func ipBlocks(p *networkingv1.NetworkPolicy) []blockAt {
	var blocks []blockAt
	note := func(peers []networkingv1.NetworkPolicyPeer, path *field.Path) {
		for i, peer := range peers {
			if peer.IPBlock != nil {
				blocks = append(blocks, blockAt{peer.IPBlock, path.Index(i).Child("ipBlock")})
			}
		}
	}
	for i, rule := range p.Spec.Ingress {
		note(rule.From, rules.SpecPath.Child("ingress").Index(i).Child("from"))
	}
	for i, rule := range p.Spec.Egress {
		note(rule.To, rules.SpecPath.Child("egress").Index(i).Child("to"))
	}
	return blocks
}

func networkPolicyWarnings(p, _ *networkingv1.NetworkPolicy, r rules.Request) []string {
	var warnings []string
	for _, b := range ipBlocks(p) {
		warnings = append(warnings, rules.RangeWarnings(b.path.Child("cidr"), b.block.CIDR, r)...)
		for i, e := range b.block.Except {
			warnings = append(warnings, rules.RangeWarnings(b.path.Child("except").Index(i), e, r)...)
		}
	}
	return warnings
}
