package rules

import (
	"net/netip"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

var Protocols = []string{"SCTP", "TCP", "UDP"}

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

// AddressWarnings returns warnings about an address in an unusual form. There are none about invalid addresses, which
// only an object can have that had them before: the server only logs these.
func AddressWarnings(path *field.Path, address string) []string {
	if netutils.ParseIPSloppy(address) == nil {
		return nil
	}
	return utilvalidation.GetWarningsForIP(path, address)
}

// RangeWarnings is AddressWarnings for a range of addresses.
func RangeWarnings(path *field.Path, cidr string) []string {
	if _, _, err := netutils.ParseCIDRSloppy(cidr); err != nil {
		return nil
	}
	return utilvalidation.GetWarningsForCIDR(path, cidr)
}

func NotAddress(path *field.Path, host string) field.ErrorList {
	if netutils.ParseIPSloppy(host) == nil {
		return nil
	}
	return field.ErrorList{field.Invalid(path, host, "must be a DNS name, not an IP address")}
}
