package objects

import (
	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/semantic"
)

var endpoints = rules[*corev1.Endpoints]{
	name: dnsSubdomain,
	defaults: func(e *corev1.Endpoints) {
		for i := range e.Subsets {
			for j := range e.Subsets[i].Ports {
				setZero(&e.Subsets[i].Ports[j].Protocol, corev1.ProtocolTCP)
			}
		}
	},
	validate:  validateEndpoints,
	warnings:  endpointsWarnings,
	behaviour: Behaviour{CreateOnUpdate: true},
}

func validateEndpoints(e *corev1.Endpoints, r request) field.ErrorList {
	if old := was[*corev1.Endpoints](r); old != nil && semantic.DeepEqual(old.Subsets, e.Subsets) {
		return nil // what was stored may stay
	}
	return eachOf(e.Subsets, -1, field.NewPath("subsets"), func(s corev1.EndpointSubset, at *field.Path) field.ErrorList {
		var errs field.ErrorList
		if len(s.Addresses) == 0 && len(s.NotReadyAddresses) == 0 {
			errs = append(errs, field.Required(at, "must specify `addresses` or `notReadyAddresses`"))
		}
		address := func(a corev1.EndpointAddress, at *field.Path) field.ErrorList { return endpointAddress(a, r, at) }
		errs = append(errs, eachOf(s.Addresses, -1, at.Child("addresses"), address)...)
		errs = append(errs, eachOf(s.NotReadyAddresses, -1, at.Child("notReadyAddresses"), address)...)
		return append(errs, eachOf(s.Ports, -1, at.Child("ports"), func(p corev1.EndpointPort, at *field.Path) field.ErrorList {
			return endpointPort(p, len(s.Ports) > 1, at)
		})...)
	})
}

func endpointAddress(a corev1.EndpointAddress, r request, at *field.Path) field.ErrorList {
	ip := at.Child("ip")
	errs := utilvalidation.IsValidIPForLegacyField(ip, a.IP, strictAddresses(r), nil)
	if a.Hostname != "" {
		errs = append(errs, faults(at.Child("hostname"), a.Hostname, dns1123Label(a.Hostname))...)
	}
	if n := a.NodeName; n != nil {
		errs = append(errs, faults(at.Child("nodeName"), *n, dnsSubdomain(*n, false))...)
	}
	if netutils.ParseIPSloppy(a.IP) == nil {
		return append(errs, field.Invalid(ip, a.IP, "must be a valid IP address"))
	}
	return append(errs, ordinaryAddress(a.IP, ip)...)
}

func endpointPort(p corev1.EndpointPort, named bool, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch name := at.Child("name"); {
	case p.Name != "":
		errs = faults(name, p.Name, dns1123Label(p.Name))
	case named:
		errs = field.ErrorList{field.Required(name, "")}
	}
	errs = append(errs, faults(at.Child("port"), p.Port, utilvalidation.IsValidPortNum(int(p.Port)))...)
	errs = append(errs, oneOf(&p.Protocol, protocols, at.Child("protocol"))...)
	if a := p.AppProtocol; a != nil {
		errs = append(errs, qualifiedName(*a, at.Child("appProtocol"))...)
	}
	return errs
}

func endpointsWarnings(e, _ *corev1.Endpoints, _ request) []string {
	if e.Labels["endpoints.kubernetes.io/managed-by"] == "endpoint-controller" {
		return nil
	}
	var warnings []string
	warn := func(list []corev1.EndpointAddress, at *field.Path) {
		for i, a := range list {
			warnings = append(warnings, utilvalidation.GetWarningsForIP(at.Index(i).Child("ip"), a.IP)...)
		}
	}
	for i, s := range e.Subsets {
		at := field.NewPath("subsets").Index(i)
		warn(s.Addresses, at.Child("addresses"))
		warn(s.NotReadyAddresses, at.Child("notReadyAddresses"))
	}
	return warnings
}
