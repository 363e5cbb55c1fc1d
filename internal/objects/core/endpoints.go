package core

import (
	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
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
	Validate:  validateEndpoints,
	Warnings:  endpointsWarnings,
	Behaviour: rules.Behaviour{CreateOnUpdate: true},
}

func validateEndpoints(e *corev1.Endpoints, r rules.Request) field.ErrorList {
	if old := rules.Was[*corev1.Endpoints](r); old != nil && semantic.DeepEqual(old.Subsets, e.Subsets) {
		return nil // what was stored may stay
	}
	return rules.EachOf(e.Subsets, -1, field.NewPath("subsets"), func(s corev1.EndpointSubset, at *field.Path) field.ErrorList {
		var errs field.ErrorList
		if len(s.Addresses) == 0 && len(s.NotReadyAddresses) == 0 {
			errs = append(errs, field.Required(at, "must specify `addresses` or `notReadyAddresses`"))
		}
		address := func(a corev1.EndpointAddress, at *field.Path) field.ErrorList { return endpointAddress(a, r, at) }
		errs = append(errs, rules.EachOf(s.Addresses, -1, at.Child("addresses"), address)...)
		errs = append(errs, rules.EachOf(s.NotReadyAddresses, -1, at.Child("notReadyAddresses"), address)...)
		return append(errs, rules.EachOf(s.Ports, -1, at.Child("ports"), func(p corev1.EndpointPort, at *field.Path) field.ErrorList {
			return endpointPort(p, len(s.Ports) > 1, at)
		})...)
	})
}

func endpointAddress(a corev1.EndpointAddress, r rules.Request, at *field.Path) field.ErrorList {
	ip := at.Child("ip")
	errs := utilvalidation.IsValidIPForLegacyField(ip, a.IP, rules.StrictAddresses(r), nil)
	if a.Hostname != "" {
		errs = append(errs, rules.Faults(at.Child("hostname"), a.Hostname, rules.DNS1123Label(a.Hostname))...)
	}
	if n := a.NodeName; n != nil {
		errs = append(errs, rules.Faults(at.Child("nodeName"), *n, rules.DNSSubdomain(*n, false))...)
	}
	if netutils.ParseIPSloppy(a.IP) == nil {
		return append(errs, field.Invalid(ip, a.IP, "must be a valid IP address"))
	}
	return append(errs, rules.OrdinaryAddress(a.IP, ip)...)
}

func endpointPort(p corev1.EndpointPort, named bool, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch name := at.Child("name"); {
	case p.Name != "":
		errs = rules.Faults(name, p.Name, rules.DNS1123Label(p.Name))
	case named:
		errs = field.ErrorList{field.Required(name, "")}
	}
	errs = append(errs, rules.Faults(at.Child("port"), p.Port, utilvalidation.IsValidPortNum(int(p.Port)))...)
	errs = append(errs, rules.OneOf(&p.Protocol, rules.Protocols, at.Child("protocol"))...)
	if a := p.AppProtocol; a != nil {
		errs = append(errs, rules.QualifiedName(*a, at.Child("appProtocol"))...)
	}
	return errs
}

func endpointsWarnings(e, _ *corev1.Endpoints, _ rules.Request) []string {
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
