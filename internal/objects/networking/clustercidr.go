// kubernetes/kubernetes@v1.28.0:pkg/apis/networking/validation/validation.go

package networking

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
)

// clusterCIDR follows pkg/apis/networking of 1.28.
var clusterCIDR = rules.Of[*builtin.ClusterCIDR]{
	Name:     rules.DNSLabel,
	Validate: validateClusterCIDR,
	ValidateUpdate: func(c, old *builtin.ClusterCIDR, _ rules.Request) field.ErrorList {
		after, before := &c.Spec, &old.Spec
		var errs rules.Errors
		errs.Add(validation.ValidateImmutableField(after.NodeSelector, before.NodeSelector, rules.SpecPath.Child("nodeSelector")))
		errs.Add(validation.ValidateImmutableField(after.PerNodeHostBits, before.PerNodeHostBits, rules.SpecPath.Child("perNodeHostBits")))
		errs.Add(validation.ValidateImmutableField(after.IPv4, before.IPv4, rules.SpecPath.Child("ipv4")))
		errs.Add(validation.ValidateImmutableField(after.IPv6, before.IPv6, rules.SpecPath.Child("ipv6")))
		return errs.List()
	},
}

func validateClusterCIDR(c *builtin.ClusterCIDR, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	if c.Spec.NodeSelector != nil {
		errs.Add(pod.NodeSelector(c.Spec.NodeSelector, pod.AnyValue, rules.SpecPath.Child("nodeSelector")))
	}
	if c.Spec.IPv4 == "" && c.Spec.IPv6 == "" {
		errs.Required(rules.SpecPath, "one or both of `ipv4` and `ipv6` must be specified")
		return errs.List()
	}
	for _, family := range []struct{ name, cidr string }{{"IPv4", c.Spec.IPv4}, {"IPv6", c.Spec.IPv6}} {
		if family.cidr != "" {
			errs.Add(clusterRange(family.name, family.cidr, c.Spec.PerNodeHostBits))
		}
	}
	return errs.List()
}

const minHostBits = 4

func clusterRange(family, cidr string, hostBits int32) field.ErrorList {
	at := rules.SpecPath.Child(family)
	ip, network, err := netutils.ParseCIDRSloppy(cidr)
	if err != nil {
		return field.ErrorList{field.Invalid(at, cidr, "must be a valid CIDR: "+cidr)}
	}
	var errs rules.Errors
	errs.Add(rules.Unless(netutils.IsIPv6(ip) == (family == "IPv6"), at, cidr, "must be a valid "+family+" CIDR"))
	ones, _ := network.Mask.Size()
	size := map[string]int{"IPv4": 32, "IPv6": 128}[family]
	bits := rules.SpecPath.Child("perNodeHostBits")
	errs.Add(rules.Unless(hostBits >= minHostBits, bits, hostBits, fmt.Sprintf("must be greater than or equal to %d", minHostBits)))
	errs.Add(rules.Unless(int(hostBits) <= size-ones, bits, hostBits, fmt.Sprintf("must be less than or equal to %d", size-ones)))
	return errs.List()
}
