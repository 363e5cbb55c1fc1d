// kubernetes/kubernetes:pkg/apis/discovery/validation/validation.go

package discovery

import (
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The limits of a slice: kubernetes/kubernetes:pkg/apis/discovery/validation.
const (
	maxSliceAddresses = 100
	maxSlicePorts     = 20000
	maxSliceEndpoints = 1000
	maxSliceZoneHints = 8
	maxSliceNodeHints = 8
	maxSliceTopology  = 16
)

var addressTypes = []string{string(discoveryv1.AddressTypeFQDN), string(discoveryv1.AddressTypeIPv4), string(discoveryv1.AddressTypeIPv6)}

func validateSlice(s *discoveryv1.EndpointSlice, r rules.Request) field.ErrorList {
	return sliceOf(s, nil, r)
}

func validateSliceUpdate(s, old *discoveryv1.EndpointSlice, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.ValidateNewMetadata(s, r, rules.DNSSubdomain))
	errs.Add(rules.ValidateFinalizers(s))
	errs.Add(sliceOf(s, old, r))
	errs.Add(validation.ValidateImmutableField(s.AddressType, old.AddressType, field.NewPath("addressType")))
	return errs.List()
}

// ownManagers are the server's controllers, whose slices have valid addresses.
var ownManagers = []string{"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"}

func sliceWarnings(s, old *discoveryv1.EndpointSlice, r rules.Request) []string {
	var warnings []string
	if old == nil && s.AddressType == discoveryv1.AddressTypeFQDN {
		warnings = append(warnings, "spec.addressType: FQDN endpoints are deprecated")
	}
	if slices.Contains(ownManagers, s.Labels[discoveryv1.LabelManagedBy]) {
		return warnings
	}
	for i, e := range s.Endpoints {
		for j, a := range e.Addresses {
			warnings = append(warnings, rules.AddressWarnings(field.NewPath("endpoints").Index(i).Child("addresses").Index(j), a, r)...)
		}
	}
	return warnings
}

// sliceOf checks a slice. Since 1.33, endpoints that are unchanged from old remain allowed.
func sliceOf(s, old *discoveryv1.EndpointSlice, r rules.Request) field.ErrorList {
	path := field.NewPath("addressType")
	var errs rules.Errors
	if s.AddressType == "" {
		errs.Required(path, "")
	} else {
		errs.Add(rules.OneOf(&s.AddressType, addressTypes, path))
	}
	endpoints, ports := sliceEndpoints(s, r, field.NewPath("endpoints")), slicePorts(s.Ports, field.NewPath("ports"))
	if !r.Release.Has(kubeversion.SliceAddressesAsElsewhere) {
		errs.Add(endpoints)
		errs.Add(ports)
		return errs.List()
	}
	errs.Add(ports)
	if len(endpoints) > 0 && (old == nil || !semantic.DeepEqual(old.Endpoints, s.Endpoints)) {
		errs.Add(endpoints)
	}
	return errs.List()
}

func sliceEndpoints(s *discoveryv1.EndpointSlice, r rules.Request, path *field.Path) field.ErrorList {
	return rules.EachOf(s.Endpoints, maxSliceEndpoints, path, func(e discoveryv1.Endpoint, path *field.Path) field.ErrorList {
		return sliceEndpoint(&e, s.AddressType, r, path)
	})
}

func sliceEndpoint(e *discoveryv1.Endpoint, t discoveryv1.AddressType, r rules.Request, path *field.Path) field.ErrorList {
	var errs rules.Errors
	addresses := path.Child("addresses")
	switch n := len(e.Addresses); {
	case n == 0:
		errs.Required(addresses, "must contain at least 1 address")
	case n > maxSliceAddresses:
		errs.TooMany(addresses, n, maxSliceAddresses)
	}
	for i, a := range e.Addresses {
		errs.Add(sliceAddress(a, t, r, addresses, i))
	}
	if e.NodeName != nil {
		errs.Add(rules.Faults(path.Child("nodeName"), *e.NodeName, rules.DNSSubdomain(*e.NodeName, false)))
	}
	topology := path.Child("deprecatedTopology")
	if n := len(e.DeprecatedTopology); n > maxSliceTopology {
		errs.TooMany(topology, n, maxSliceTopology)
	}
	errs.Add(metav1validation.ValidateLabels(e.DeprecatedTopology, topology))
	if _, both := e.DeprecatedTopology["topology.kubernetes.io/zone"]; both && e.Zone != nil {
		errs.Invalid(topology.Key("topology.kubernetes.io/zone"), *e.Zone, "must not be set when zone is set")
	}
	if e.Hostname != nil {
		errs.Add(rules.Faults(path.Child("hostname"), *e.Hostname, rules.DNS1123Label(*e.Hostname)))
	}
	if e.Hints != nil {
		errs.Add(sliceHints(e.Hints, path.Child("hints")))
	}
	return errs.List()
}

// sliceAddress checks the i-th address of an endpoint. Each address of the wrong family is reported.
func sliceAddress(a string, t discoveryv1.AddressType, r rules.Request, addresses *field.Path, i int) field.ErrorList {
	path := addresses.Index(i)
	if t == discoveryv1.AddressTypeFQDN {
		return utilvalidation.IsFullyQualifiedDomainName(path, a)
	}
	if t != discoveryv1.AddressTypeIPv4 && t != discoveryv1.AddressTypeIPv6 {
		return nil
	}
	if !r.Release.Has(kubeversion.SliceAddressesAsElsewhere) {
		return sliceAddressBefore(a, t, path)
	}
	var wrong field.ErrorList
	if t == discoveryv1.AddressTypeIPv6 { // IPv6 was always checked strictly
		wrong = utilvalidation.IsValidIP(path, a)
	} else {
		wrong = rules.Address(path, a, nil, r)
	}
	if len(wrong) > 0 {
		return wrong
	}
	var errs rules.Errors
	errs.Add(rules.Unless(t != discoveryv1.AddressTypeIPv4 || netutils.IsIPv4String(a), addresses, a, "must be an IPv4 address"))
	errs.Add(rules.Unless(t != discoveryv1.AddressTypeIPv6 || netutils.IsIPv6String(a), addresses, a, "must be an IPv6 address"))
	errs.Add(rules.OrdinaryAddress(a, path))
	return errs.List()
}

// sliceAddressBefore checks an address as up to 1.32, when an invalid address was reported twice.
func sliceAddressBefore(a string, t discoveryv1.AddressType, path *field.Path) field.ErrorList {
	ip := netutils.ParseIPSloppy(a)
	isIPv4 := ip != nil && ip.To4() != nil
	var errs rules.Errors
	errs.Add(rules.Unless(t != discoveryv1.AddressTypeIPv4 || isIPv4, path, a, "must be a valid IPv4 address"))
	errs.Add(rules.Unless(t != discoveryv1.AddressTypeIPv6 || ip != nil && !isIPv4, path, a, "must be a valid IPv6 address"))
	if ip == nil {
		errs.Invalid(path, a, "must be a valid IP address")
		return errs.List()
	}
	errs.Add(rules.OrdinaryAddress(a, path))
	return errs.List()
}

func sliceHints(h *discoveryv1.EndpointHints, path *field.Path) field.ErrorList {
	var errs rules.Errors
	zones := path.Child("forZones")
	if n := len(h.ForZones); n > maxSliceZoneHints {
		return field.ErrorList{field.TooMany(zones, n, maxSliceZoneHints)}
	}
	seen := map[string]bool{}
	for i, z := range h.ForZones {
		at := zones.Index(i).Child("name")
		if seen[z.Name] {
			errs.Duplicate(at, z.Name)
		}
		seen[z.Name] = true
		errs.Add(rules.LabelValue(z.Name, at))
	}
	nodes := path.Child("forNodes")
	if n := len(h.ForNodes); n > maxSliceNodeHints {
		errs.TooMany(nodes, n, maxSliceNodeHints)
		return errs.List()
	}
	seen = map[string]bool{}
	for i, n := range h.ForNodes {
		at := nodes.Index(i).Child("name")
		if seen[n.Name] {
			errs.Duplicate(at, n.Name)
		}
		seen[n.Name] = true
		errs.Add(rules.Faults(at, n.Name, rules.DNSSubdomain(n.Name, false)))
	}
	return errs.List()
}

func slicePorts(ports []discoveryv1.EndpointPort, path *field.Path) field.ErrorList {
	if n := len(ports); n > maxSlicePorts {
		return field.ErrorList{field.TooMany(path, n, maxSlicePorts)}
	}
	var errs rules.Errors
	seen := map[string]bool{}
	for i, p := range ports {
		path := path.Index(i)
		if p.Name != nil {
			if *p.Name != "" {
				errs.Add(rules.Faults(path.Child("name"), *p.Name, rules.DNS1123Label(*p.Name)))
			}
			if seen[*p.Name] {
				errs.Duplicate(path.Child("name"), p.Name)
			}
			seen[*p.Name] = true
		}
		errs.Add(rules.OneOf(p.Protocol, rules.Protocols, path.Child("protocol")))
		if p.AppProtocol != nil {
			errs.Add(rules.QualifiedName(*p.AppProtocol, path.Child("appProtocol")))
		}
	}
	return errs.List()
}
