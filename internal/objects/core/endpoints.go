// kubernetes/kubernetes:pkg/apis/core/validation/validation.go
// kubernetes/kubernetes:pkg/registry/core/endpoint/strategy.go

package core

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var endpoints = rules.Of[*corev1.Endpoints]{
	Name: rules.DNSSubdomain,
	Defaults: func(e *corev1.Endpoints) {
		for i := range e.Subsets {
			for j := range e.Subsets[i].Ports {
				rules.SetZero(&e.Subsets[i].Ports[j].Protocol, corev1.ProtocolTCP)
			}
		}
	},
	Validate:       validateEndpoints,
	ValidateUpdate: validateEndpointsUpdate,
	Warnings:       endpointsWarnings,
	WarnsSince:     kubeversion.AddressWarnings,
	Behaviour:      rules.Behaviour{CreateOnUpdate: true},
}

func validateEndpoints(e *corev1.Endpoints, r rules.Request) field.ErrorList {
	old := rules.OldOf[*corev1.Endpoints](r)
	if old != nil && semantic.DeepEqual(old.Subsets, e.Subsets) && r.Release.Has(kubeversion.EndpointsKept) {
		return nil // what was stored may be kept
	}
	return append(validateSubsets(e, r), rules.WithoutSCTP(r.Release, e, old, sctpEndpoints)...)
}

// validateEndpointsUpdate checks the addresses once more, as old releases did.
func validateEndpointsUpdate(e, _ *corev1.Endpoints, r rules.Request) field.ErrorList {
	if r.Release.Has(kubeversion.EndpointsCheckedOnce) {
		return nil
	}
	return validateSubsets(e, r)
}

func sctpEndpoints(e *corev1.Endpoints) []*field.Path {
	var paths []*field.Path
	for i, s := range e.Subsets {
		for j, p := range s.Ports {
			if p.Protocol == corev1.ProtocolSCTP {
				paths = append(paths, field.NewPath("subsets").Index(i).Child("ports").Index(j).Child("protocol"))
			}
		}
	}
	return paths
}

func validateSubsets(e *corev1.Endpoints, r rules.Request) field.ErrorList {
	old := rules.OldOf[*corev1.Endpoints](r)
	protocolOff := appProtocolOff(r.Release, old != nil && slices.ContainsFunc(old.Subsets, func(s corev1.EndpointSubset) bool {
		return slices.ContainsFunc(s.Ports, func(p corev1.EndpointPort) bool { return p.AppProtocol != nil })
	}))
	return rules.EachOf(e.Subsets, -1, field.NewPath("subsets"), func(s corev1.EndpointSubset, at *field.Path) field.ErrorList {
		var errs rules.Errors
		if len(s.Addresses) == 0 && len(s.NotReadyAddresses) == 0 {
			errs.Required(at, "must specify `addresses` or `notReadyAddresses`")
		}
		address := func(a corev1.EndpointAddress, at *field.Path) field.ErrorList { return endpointAddress(a, r, at) }
		errs.Add(rules.EachOf(s.Addresses, -1, at.Child("addresses"), address))
		errs.Add(rules.EachOf(s.NotReadyAddresses, -1, at.Child("notReadyAddresses"), address))
		errs.Add(rules.EachOf(s.Ports, -1, at.Child("ports"), func(p corev1.EndpointPort, at *field.Path) field.ErrorList {
			return append(endpointPort(p, len(s.Ports) > 1, at), appProtocol(p.AppProtocol, protocolOff, at.Child("appProtocol"))...)
		}))
		return errs.List()
	})
}

func endpointAddress(a corev1.EndpointAddress, r rules.Request, at *field.Path) field.ErrorList {
	ip := at.Child("ip")
	var errs rules.Errors
	errs.Add(rules.Address(ip, a.IP, nil, r))
	if a.Hostname != "" {
		errs.Add(rules.Faults(at.Child("hostname"), a.Hostname, rules.DNS1123Label(a.Hostname)))
	}
	if n := a.NodeName; n != nil {
		errs.Add(rules.Faults(at.Child("nodeName"), *n, rules.DNSSubdomain(*n, false)))
	}
	if netutils.ParseIPSloppy(a.IP) == nil {
		errs.Invalid(ip, a.IP, "must be a valid IP address")
		return errs.List()
	}
	errs.Add(rules.OrdinaryAddress(a.IP, ip))
	return errs.List()
}

func endpointPort(p corev1.EndpointPort, named bool, at *field.Path) field.ErrorList {
	var errs rules.Errors
	switch name := at.Child("name"); {
	case p.Name != "":
		errs.Add(rules.Faults(name, p.Name, rules.DNS1123Label(p.Name)))
	case named:
		errs.Required(name, "")
	}
	errs.Add(rules.Faults(at.Child("port"), p.Port, utilvalidation.IsValidPortNum(int(p.Port))))
	errs.Add(rules.OneOf(&p.Protocol, rules.Protocols, at.Child("protocol")))
	return errs.List()
}

func endpointsWarnings(e, _ *corev1.Endpoints, r rules.Request) []string {
	if e.Labels["endpoints.kubernetes.io/managed-by"] == "endpoint-controller" {
		return nil
	}
	var warnings []string
	warn := func(list []corev1.EndpointAddress, at *field.Path) {
		for i, a := range list {
			warnings = append(warnings, rules.AddressWarnings(at.Index(i).Child("ip"), a.IP, r)...)
		}
	}
	for i, s := range e.Subsets {
		at := field.NewPath("subsets").Index(i)
		warn(s.Addresses, at.Child("addresses"))
		warn(s.NotReadyAddresses, at.Child("notReadyAddresses"))
	}
	return warnings
}
