package rules

import (
	"net/netip"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/pkg/kubeversion"
)

var Protocols = []string{"SCTP", "TCP", "UDP"}

// WithoutSCTP refuses ports with the protocol SCTP in releases that do not know it yet, unless the old object, if any, has
// such ports, too, and may keep them. protocols returns the paths of all protocols that are SCTP:
// kubernetes/kubernetes@v1.15.12:pkg/apis/core/validation/conditional_validation.go.
func WithoutSCTP[T any](r *kubeversion.Release, obj, old *T, protocols func(*T) []*field.Path) field.ErrorList {
	if r.Has(kubeversion.SCTP) || old != nil && r.Has(kubeversion.SCTPKept) && len(protocols(old)) > 0 {
		return nil
	}
	var errs Errors
	for _, at := range protocols(obj) {
		errs.Append(field.NotSupported(at, "SCTP", []string{"TCP", "UDP"}))
	}
	return errs.List()
}

// OrdinaryAddress refuses addresses that do not lead to a single endpoint.
func OrdinaryAddress(address string, path *field.Path) field.ErrorList {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return nil
	}
	var errs Errors
	errs.Add(Unless(!a.IsUnspecified(), path, address, "may not be unspecified ("+address+")"))
	errs.Add(Unless(!a.IsLoopback(), path, address, "may not be in the loopback range (127.0.0.0/8, ::1/128)"))
	errs.Add(Unless(!a.IsLinkLocalUnicast(), path, address, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"))
	errs.Add(Unless(!a.IsLinkLocalMulticast(), path, address, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"))
	return errs.List()
}

// Address checks an address in one of the old fields, which accept some unusual forms. An update may keep those of the
// old object, since 1.33 whatever they are.
func Address(at *field.Path, ip string, old []string, r Request) field.ErrorList {
	return utilvalidation.IsValidIPForLegacyField(at, ip, strictAddresses(r), kept(old, r))
}

// ExplainedAddress is Address for a field whose errors had the message before as long as they explained nothing.
func ExplainedAddress(at *field.Path, ip string, old []string, before string, r Request) field.ErrorList {
	wrong := Address(at, ip, old, r)
	if len(wrong) > 0 && !r.Release.Has(kubeversion.AddressesExplained) {
		return field.ErrorList{field.Invalid(at, ip, before)}
	}
	return wrong
}

// BalancerAddress is Address for an address of a load balancer.
func BalancerAddress(at *field.Path, ip string, old []string, r Request) field.ErrorList {
	return ExplainedAddress(at, ip, old, "must be a valid IP address", r)
}

// Range is Address for a range of addresses.
func Range(at *field.Path, cidr string, old []string, r Request) field.ErrorList {
	return utilvalidation.IsValidCIDRForLegacyField(at, cidr, strictAddresses(r), kept(old, r))
}

// strictAddresses reports whether the release refuses leading zeros and the like in the addresses of old fields: the
// gate StrictIPCIDRValidation, which is on since 1.36.
func strictAddresses(r Request) bool { return r.Release.Has(kubeversion.StrictAddresses) }

func kept(old []string, r Request) []string {
	if r.Release.Has(kubeversion.AddressesKept) {
		return old
	}
	return nil
}

// AddressWarnings returns warnings about an address in an unusual form (WA-06). There are none about invalid addresses,
// which only an object can have that had them before: the server only logs these.
func AddressWarnings(path *field.Path, address string, r Request) []string {
	if netutils.ParseIPSloppy(address) == nil {
		return nil
	}
	return addressesWorded(utilvalidation.GetWarningsForIP(path, address), r)
}

// RangeWarnings is AddressWarnings for a range of addresses.
func RangeWarnings(path *field.Path, cidr string, r Request) []string {
	if _, _, err := netutils.ParseCIDRSloppy(cidr); err != nil {
		return nil
	}
	return addressesWorded(utilvalidation.GetWarningsForCIDR(path, cidr), r)
}

func addressesWorded(warnings []string, r Request) []string {
	if !r.Release.Has(kubeversion.AddressWarnings) {
		return nil
	}
	for i := range warnings {
		if !r.Release.Has(kubeversion.OddAddressesInvalid) {
			warnings[i] = strings.Replace(warnings[i], " is invalid: use", " will be considered invalid in a future Kubernetes release: use", 1)
		}
	}
	return warnings
}

func NotAddress(path *field.Path, host string) field.ErrorList {
	if netutils.ParseIPSloppy(host) == nil {
		return nil
	}
	return field.ErrorList{field.Invalid(path, host, "must be a DNS name, not an IP address")}
}
