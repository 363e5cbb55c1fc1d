// kubernetes/kubernetes:pkg/apis/networking/validation/validation.go
// kubernetes/kubernetes:pkg/registry/networking/ipaddress/strategy.go
// kubernetes/kubernetes:pkg/registry/networking/servicecidr/strategy.go

package networking

import (
	"net/netip"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/types"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var ipAddress = rules.Of[*networkingv1.IPAddress]{
	NameIn:         addressAsName,
	Validate:       validateIPAddress,
	ValidateUpdate: validateIPAddressUpdate,
	Behaviour:      rules.Behaviour{KeepsPrefix: true},
}

var serviceCIDR = rules.Of[*networkingv1.ServiceCIDR]{
	Name:           rules.DNSSubdomain,
	Status:         func(c *networkingv1.ServiceCIDR) any { return &c.Status },
	StatusInBody:   func(r rules.Request) bool { return !r.Release.Enabled("ServiceCIDRStatusFieldWiping") },
	StatusAlone:    true,
	StatusAloneIn:  kubeversion.ServiceCIDRStatusAlone,
	Validate:       validateServiceCIDR,
	ValidateUpdate: validateServiceCIDRUpdate,
	OnUpdate:       rules.CheckChange,
	CheckedOnce:    kubeversion.ServiceRangesGrow,
}

// addressAsName requires a name that is an IP address in canonical form.
func addressAsName(r *kubeversion.Release) validation.ValidateNameFunc {
	if r.Has(kubeversion.ServiceRangesGrow) {
		return canonicalAddress
	}
	return func(name string, _ bool) []string {
		switch ip, err := netip.ParseAddr(name); {
		case err != nil:
			return []string{err.Error()}
		case ip.String() != name:
			return []string{"must be a canonical format IP address"}
		}
		return nil
	}
}

func canonicalAddress(name string, _ bool) []string {
	var wrong []string
	for _, e := range utilvalidation.IsValidIP(nil, name) {
		wrong = append(wrong, e.Detail)
	}
	return wrong
}

func validateIPAddress(a *networkingv1.IPAddress, _ rules.Request) field.ErrorList {
	at, ref := rules.SpecPath.Child("parentRef"), a.Spec.ParentRef
	if ref == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs rules.Errors
	errs.Add(rules.SubdomainIfGiven(at.Child("group"), ref.Group))
	errs.Add(rules.PathName(at.Child("resource"), ref.Resource))
	errs.Add(rules.PathName(at.Child("name"), ref.Name))
	errs.Add(rules.Faults(at.Child("namespace"), ref.Namespace, content.IsPathSegmentName(ref.Namespace)))
	return errs.List()
}

func validateIPAddressUpdate(a, old *networkingv1.IPAddress, r rules.Request) field.ErrorList {
	if r.Release.HasFormer(networkingv1.ParentReference{}.OpenAPIModelName(), "uid") {
		return rules.ImmutableInternal(parentWithUID(a), parentWithUID(old), rules.SpecPath.Child("parentRef"))
	}
	return rules.ImmutableInternal(a.Spec.ParentRef, old.Spec.ParentRef, rules.SpecPath.Child("parentRef"))
}

func parentWithUID(a *networkingv1.IPAddress) *builtin.ParentReference {
	p := a.Spec.ParentRef
	if p == nil {
		return nil
	}
	return &builtin.ParentReference{
		Group: p.Group, Resource: p.Resource, Namespace: p.Namespace, Name: p.Name, UID: rules.Former[types.UID](a.Annotations, "spec.parentRef.uid"),
	}
}

func validateServiceCIDR(c *networkingv1.ServiceCIDR, r rules.Request) field.ErrorList {
	at, cidrs := rules.SpecPath.Child("cidrs"), c.Spec.CIDRs
	switch {
	case len(cidrs) == 0:
		return field.ErrorList{field.Required(at, "at least one CIDR required")}
	case len(cidrs) > 2:
		return field.ErrorList{field.Invalid(at, rules.AsInternal(c.Spec), "may only hold up to 2 values")}
	}
	if !r.Release.Has(kubeversion.ServiceRangesGrow) {
		return rangesBefore(c.Spec, at)
	}
	var errs rules.Errors
	errs.Add(rules.EachOf(cidrs, -1, at, func(cidr string, at *field.Path) field.ErrorList { return utilvalidation.IsValidCIDR(at, cidr) }))
	if len(cidrs) == 2 {
		family := netutils.IPFamilyOfCIDRString(cidrs[0])
		twice := family != netutils.IPFamilyUnknown && family == netutils.IPFamilyOfCIDRString(cidrs[1])
		errs.Add(rules.Unless(!twice, at, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"))
	}
	return errs.List()
}

// rangesBefore checks ranges as before [kubeversion.ServiceRangesGrow].
func rangesBefore(s networkingv1.ServiceCIDRSpec, at *field.Path) field.ErrorList {
	if len(s.CIDRs) == 2 {
		if dual, err := netutils.IsDualStackCIDRStrings(s.CIDRs); err != nil || !dual {
			return field.ErrorList{field.Invalid(at, rules.AsInternal(s), "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64")}
		}
	}
	return rules.EachOf(s.CIDRs, -1, at, func(cidr string, at *field.Path) field.ErrorList {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return field.ErrorList{field.Invalid(at, cidr, err.Error())}
		}
		var errs rules.Errors
		errs.Add(rules.Unless(prefix == prefix.Masked(), at, cidr, "wrong CIDR format, IP doesn't match network IP address"))
		errs.Add(rules.Unless(prefix.String() == cidr, at, cidr, "CIDR not in RFC 5952 canonical format"))
		return errs.List()
	})
}

func validateServiceCIDRUpdate(c, old *networkingv1.ServiceCIDR, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	at, after, before := rules.SpecPath.Child("cidrs"), c.Spec.CIDRs, old.Spec.CIDRs
	if !r.Release.Has(kubeversion.ServiceRangesGrow) {
		return rules.ImmutableInternal(after, before, at)
	}
	becomesDual := len(before) == 1 && len(after) == 2
	if len(after) != len(before) && !becomesDual {
		return field.ErrorList{field.Invalid(at, after, validation.FieldImmutableErrorMsg)}
	}
	var errs rules.Errors
	for i := range before {
		errs.Add(rules.Unless(after[i] == before[i], at.Index(i), after[i], validation.FieldImmutableErrorMsg))
	}
	if becomesDual {
		errs.Add(validateServiceCIDR(c, r))
	}
	return errs.List()
}
