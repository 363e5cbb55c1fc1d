// kubernetes/kubernetes:pkg/registry/core/service/storage/rest.go

package core

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Up to 1.19 a service has a single address (PL-08b), in a field that is not a list.

var clusterIPPath = rules.SpecPath.Child("clusterIP")

// allocateSingle is [allocate] for a service with a single address. Only a valid service gets one.
func allocateSingle(s, old *corev1.Service, from rules.Allocator, r rules.Request) (allocated *corev1.Service, wrong field.ErrorList, err error) {
	faults := func() field.ErrorList {
		if old == nil {
			return serviceSpec(s, nil, r)
		}
		return validateServiceUpdate(s, old, r)
	}
	if len(faults()) > 0 {
		return s, nil, nil // validation reports them
	}
	allocated = s.DeepCopy()
	a := &serviceAllocation{service: allocated, old: old, spec: &allocated.Spec, from: from, r: r}
	for _, step := range []func() (field.ErrorList, error){a.singleAddress, a.nodePorts, a.healthCheckPort} {
		if wrong, err = step(); len(wrong) > 0 || err != nil {
			return nil, wrong, err
		}
	}
	return allocated, nil, nil
}

func (a *serviceAllocation) singleAddress() (field.ErrorList, error) {
	spec := a.spec
	if spec.Type == corev1.ServiceTypeExternalName || spec.ClusterIP == corev1.ClusterIPNone ||
		a.old != nil && a.old.Spec.Type != corev1.ServiceTypeExternalName {
		return nil, nil
	}
	taken, refused := a.from.Address(a.from.Families()[0], spec.ClusterIP)
	switch {
	case refused == "":
		spec.ClusterIP = taken
		return nil, nil
	case spec.ClusterIP != "":
		return field.ErrorList{field.Invalid(clusterIPPath, spec.ClusterIP, refused)}, nil
	}
	return nil, apierrors.NewInternalError(fmt.Errorf("failed to allocate a serviceIP: %s", refused))
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
