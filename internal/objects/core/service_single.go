// kubernetes/kubernetes:pkg/registry/core/service/storage/rest.go

package core

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Up to 1.19 a service has a single address (PL-08b), in a field that is not a list. While the gate IPv6DualStack of 1.20
// is off, the list only repeats it.

var clusterIPPath = rules.SpecPath.Child("clusterIP")

// allocateValid is [allocate] up to 1.22, where only a valid service gets addresses and ports (PL-08c).
func allocateValid(s, old *corev1.Service, from rules.Allocator, r rules.Request) (allocated *corev1.Service, wrong field.ErrorList, err error) {
	a := newAllocation(s, old, from, r)
	steps := []func() (field.ErrorList, error){a.familiesOfValid, a.addresses, a.nodePorts, a.healthCheckPort}
	if !r.Release.Has(kubeversion.ServiceFamilies) || !r.Release.Has(kubeversion.DualStack) {
		steps = []func() (field.ErrorList, error){a.singleAddress, a.nodePorts, a.healthCheckPort}
	}
	var faults field.ErrorList
	if old == nil {
		dropFamilies(a.service, nil, r)
		faults = serviceSpec(a.service, nil, r)
	} else {
		prepareServiceUpdate(a.service, a.old, r)
		faults = validateServiceUpdate(a.service, a.old, r)
	}
	if len(faults) > 0 {
		return a.service, nil, nil // validation reports them
	}
	return a.take(steps...)
}

func (a *serviceAllocation) singleAddress() (field.ErrorList, error) {
	spec, listed := a.spec, a.r.Release.Has(kubeversion.ServiceFamilies)
	if spec.Type == corev1.ServiceTypeExternalName || spec.ClusterIP == corev1.ClusterIPNone ||
		a.old != nil && a.old.Spec.Type != corev1.ServiceTypeExternalName {
		return nil, nil
	}
	family := familyToAllocate(a.service, a.from, a.r.Release)
	taken, refused := a.from.Address(family, spec.ClusterIP)
	switch {
	case refused == "":
		if spec.ClusterIP = taken; listed && taken != "" {
			spec.ClusterIPs = []string{taken}
		}
		return nil, nil
	case spec.ClusterIP == "":
		return nil, apierrors.NewInternalError(fmt.Errorf("failed to allocate a serviceIP: %s", refused))
	case listed:
		return a.unallocated(spec.ClusterIP, refused)
	}
	return field.ErrorList{field.Invalid(clusterIPPath, spec.ClusterIP, refused)}, nil
}

// dropFamilies drops what a service of 1.20 has for the gate IPv6DualStack while it is off, unless old uses it too.
func dropFamilies(s, old *corev1.Service, r rules.Request) {
	if r.Release.Has(kubeversion.DualStack) || old != nil && (old.Spec.IPFamilyPolicy != nil || len(old.Spec.IPFamilies) > 0 || len(old.Spec.ClusterIPs) > 1) {
		return
	}
	spec := &s.Spec
	spec.IPFamilies, spec.IPFamilyPolicy, spec.ClusterIPs = nil, nil, spec.ClusterIPs[:min(len(spec.ClusterIPs), 1)]
}

// singleOfType checks whether a service of its type may have this address.
func singleOfType(spec *corev1.ServiceSpec) field.ErrorList {
	switch {
	case spec.Type == corev1.ServiceTypeExternalName && spec.ClusterIP != "":
		return field.ErrorList{field.Forbidden(clusterIPPath, "must be empty for ExternalName services")}
	case spec.ClusterIP != corev1.ClusterIPNone:
	case spec.Type == corev1.ServiceTypeLoadBalancer || spec.Type == corev1.ServiceTypeNodePort:
		return field.ErrorList{field.Invalid(clusterIPPath, spec.ClusterIP, fmt.Sprintf("may not be set to 'None' for %s services", spec.Type))}
	}
	return nil
}

// singleValid checks the form of the address.
func singleValid(spec *corev1.ServiceSpec) field.ErrorList {
	if spec.ClusterIP == "" || spec.ClusterIP == corev1.ClusterIPNone || netutils.ParseIPSloppy(spec.ClusterIP) != nil {
		return nil
	}
	return field.ErrorList{field.Invalid(clusterIPPath, spec.ClusterIP, "must be empty, 'None', or a valid IP address")}
}

// singleKept checks that the address stays the same.
func singleKept(spec, before *corev1.ServiceSpec) field.ErrorList {
	if spec.Type == corev1.ServiceTypeExternalName || before.Type == corev1.ServiceTypeExternalName || before.ClusterIP == "" || spec.ClusterIP == before.ClusterIP {
		return nil
	}
	return field.ErrorList{field.Invalid(clusterIPPath, spec.ClusterIP, "field is immutable")}
}
