// kubernetes/kubernetes:pkg/apis/networking/validation/validation.go
// kubernetes/kubernetes:pkg/registry/networking/ipaddress/strategy.go
// kubernetes/kubernetes:pkg/registry/networking/servicecidr/strategy.go

package networking

import (
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
)

var ipAddress = rules.Of[*networkingv1.IPAddress]{
	Name:           addressAsName,
	Validate:       validateIPAddress,
	ValidateUpdate: validateIPAddressUpdate,
	Behaviour:      rules.Behaviour{KeepsPrefix: true},
}

var serviceCIDR = rules.Of[*networkingv1.ServiceCIDR]{
	Name:           rules.DNSSubdomain,
	Status:         func(c *networkingv1.ServiceCIDR) any { return &c.Status },
	StatusAlone:    true,
	Validate:       validateServiceCIDR,
	ValidateUpdate: validateServiceCIDRUpdate,
	OnUpdate:       rules.CheckChange,
}

// addressAsName requires a name that is an IP address in canonical form.
func addressAsName(name string, _ bool) []string {
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

func validateIPAddressUpdate(a, old *networkingv1.IPAddress, _ rules.Request) field.ErrorList {
	return rules.ImmutableInternal(a.Spec.ParentRef, old.Spec.ParentRef, rules.SpecPath.Child("parentRef"))
}

func validateServiceCIDR(c *networkingv1.ServiceCIDR, _ rules.Request) field.ErrorList {
	at, cidrs := rules.SpecPath.Child("cidrs"), c.Spec.CIDRs
	switch {
	case len(cidrs) == 0:
		return field.ErrorList{field.Required(at, "at least one CIDR required")}
	case len(cidrs) > 2:
		return field.ErrorList{field.Invalid(at, rules.AsInternal(c.Spec), "may only hold up to 2 values")}
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

func validateServiceCIDRUpdate(c, old *networkingv1.ServiceCIDR, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	at, after, before := rules.SpecPath.Child("cidrs"), c.Spec.CIDRs, old.Spec.CIDRs
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
