package objects

import (
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

var ipAddress = rules[*networkingv1.IPAddress]{
	name:           addressAsName,
	validate:       validateIPAddress,
	validateUpdate: validateIPAddressUpdate,
	behaviour:      Behaviour{KeepsPrefix: true},
}

var serviceCIDR = rules[*networkingv1.ServiceCIDR]{
	name:           dnsSubdomain,
	status:         func(c *networkingv1.ServiceCIDR) any { return &c.Status },
	statusAlone:    true,
	validate:       validateServiceCIDR,
	validateUpdate: validateServiceCIDRUpdate,
	onUpdate:       checkChange,
}

// addressAsName asks for a name that is an IP address in its usual form.
func addressAsName(name string, _ bool) []string {
	var wrong []string
	for _, e := range utilvalidation.IsValidIP(nil, name) {
		wrong = append(wrong, e.Detail)
	}
	return wrong
}

func validateIPAddress(a *networkingv1.IPAddress, _ request) field.ErrorList {
	at, ref := specPath.Child("parentRef"), a.Spec.ParentRef
	if ref == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	errs := subdomainIfGiven(at.Child("group"), ref.Group)
	errs = append(errs, pathName(at.Child("resource"), ref.Resource)...)
	errs = append(errs, pathName(at.Child("name"), ref.Name)...)
	return append(errs, faults(at.Child("namespace"), ref.Namespace, content.IsPathSegmentName(ref.Namespace))...)
}

func validateIPAddressUpdate(a, old *networkingv1.IPAddress, _ request) field.ErrorList {
	return immutableInternal(a.Spec.ParentRef, old.Spec.ParentRef, specPath.Child("parentRef"))
}

func validateServiceCIDR(c *networkingv1.ServiceCIDR, _ request) field.ErrorList {
	at, cidrs := specPath.Child("cidrs"), c.Spec.CIDRs
	switch {
	case len(cidrs) == 0:
		return field.ErrorList{field.Required(at, "at least one CIDR required")}
	case len(cidrs) > 2:
		return field.ErrorList{field.Invalid(at, asInternal(c.Spec), "may only hold up to 2 values")}
	}
	errs := eachOf(cidrs, -1, at, func(cidr string, at *field.Path) field.ErrorList { return utilvalidation.IsValidCIDR(at, cidr) })
	if len(cidrs) == 2 {
		family := netutils.IPFamilyOfCIDRString(cidrs[0])
		twice := family != netutils.IPFamilyUnknown && family == netutils.IPFamilyOfCIDRString(cidrs[1])
		errs = append(errs, unless(!twice, at, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64")...)
	}
	return errs
}

func validateServiceCIDRUpdate(c, old *networkingv1.ServiceCIDR, r request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	at, is, was := specPath.Child("cidrs"), c.Spec.CIDRs, old.Spec.CIDRs
	becomesDual := len(was) == 1 && len(is) == 2
	if len(is) != len(was) && !becomesDual {
		return field.ErrorList{field.Invalid(at, is, validation.FieldImmutableErrorMsg)}
	}
	var errs field.ErrorList
	for i := range was {
		errs = append(errs, unless(is[i] == was[i], at.Index(i), is[i], validation.FieldImmutableErrorMsg)...)
	}
	if becomesDual {
		errs = append(errs, validateServiceCIDR(c, r)...)
	}
	return errs
}
