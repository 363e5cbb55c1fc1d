// kubernetes/kubernetes@v1.18.19:pkg/registry/core/service/strategy.go
// kubernetes/kubernetes@v1.18.19:pkg/apis/core/validation/validation.go
// kubernetes/kubernetes@v1.19.16:pkg/apis/core/validation/conditional_validation.go

package core

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// From 1.16 to 1.19, while the gate IPv6DualStack is on, a service has one address family (CV-10c).

const singleFamily = "spec.ipFamily"

var singleFamilyPath = rules.SpecPath.Child("ipFamily")

func familyOf(s *corev1.Service) *corev1.IPFamily {
	return rules.Former[*corev1.IPFamily](s.Annotations, singleFamily)
}

func setFamily(s *corev1.Service, family corev1.IPFamily) {
	rules.SetFormer(s, map[string]string{moved.Key(singleFamily): strconv.Quote(string(family))}, singleFamily)
}

// hasSingleFamily reports whether services of the release have the field, and its gate is on.
func hasSingleFamily(r *kubeversion.Release) bool {
	return r.HasFormer(corev1.ServiceSpec{}.OpenAPIModelName(), "ipFamily") && r.Enabled("IPv6DualStack")
}

// defaultFamily gives a service with an address the family of this address.
func defaultFamily(s *corev1.Service, r *kubeversion.Release) {
	ip := s.Spec.ClusterIP
	if s.Spec.Type != corev1.ServiceTypeExternalName && ip != "" && ip != corev1.ClusterIPNone && hasSingleFamily(r) && familyOf(s) == nil {
		setFamily(s, addressFamily(ip))
	}
}

// completeFamily drops the family of a service while the gate is off, unless old, which is nil on create, has one. While
// it is on, a service without a family keeps that of old, or gets the first one of the cluster; up to 1.18 only on create.
func completeFamily(s, old *corev1.Service, from rules.Allocator, r *kubeversion.Release) {
	before := familyBefore(old)
	switch {
	case !hasSingleFamily(r):
		if before == nil && familyOf(s) != nil {
			rules.SetFormer(s, nil, singleFamily)
		}
	case familyOf(s) != nil || old != nil && !r.Has(kubeversion.SingleFamilyKept):
	case before != nil:
		setFamily(s, *before)
	default:
		setFamily(s, from.Families()[0])
	}
}

// familyToAllocate returns the family of the address that a service without one gets. Up to 1.18, the second family of a
// cluster has to be IPv6.
func familyToAllocate(s *corev1.Service, from rules.Allocator, r *kubeversion.Release) corev1.IPFamily {
	known, family := from.Families(), familyOf(s)
	if !hasSingleFamily(r) || family == nil || !slices.Contains(known, *family) || *family != corev1.IPv6Protocol && !r.Has(kubeversion.SingleFamilyKept) {
		return known[0]
	}
	return *family
}

// validSingleFamily checks the family of a service up to 1.18; old is nil on create.
func validSingleFamily(s, old *corev1.Service, r *kubeversion.Release) field.ErrorList {
	if r.Has(kubeversion.SingleFamilyKept) {
		return nil
	}
	family, before, on := familyOf(s), familyBefore(old), hasSingleFamily(r)
	if family == nil && before == nil && !on {
		return nil
	}
	var errs rules.Errors
	if before != nil && s.Spec.Type != corev1.ServiceTypeExternalName {
		errs.Add(validation.ValidateImmutableField(family, before, singleFamilyPath))
	}
	if on && family == nil {
		errs.Required(singleFamilyPath, "")
	}
	errs.Add(rules.OneOf(family, families, singleFamilyPath))
	return errs.List()
}

// familyOfCluster checks the family of a service in 1.19: it may stay as it is, or else has to be one of the cluster and
// that of the service's address.
func familyOfCluster(s, old *corev1.Service, r rules.Request) field.ErrorList {
	family, before := familyOf(s), familyBefore(old)
	if family == nil || before != nil && *family == *before || !r.Release.Has(kubeversion.SingleFamilyKept) {
		return nil
	}
	var errs rules.Errors
	on := hasSingleFamily(r.Release)
	if before != nil && !(on && s.Spec.Type == corev1.ServiceTypeExternalName) {
		errs.Add(validation.ValidateImmutableField(family, before, singleFamilyPath))
	}
	if !on || r.Families == nil {
		return errs.List()
	}
	if known := r.Families(); !slices.Contains(known, *family) {
		text := string(known[0])
		if len(known) > 1 {
			text += ", " + string(known[1])
		}
		errs.Invalid(singleFamilyPath, *family, "only the following families are allowed: "+text)
	} else if ip := s.Spec.ClusterIP; netutils.ParseIPSloppy(ip) != nil && addressFamily(ip) != *family {
		errs.Invalid(singleFamilyPath, *family, fmt.Sprintf("does not match %s cluster IP", addressFamily(ip)))
	}
	return errs.List()
}

// familyBefore returns the family of the old service, if there is one and it has a family.
func familyBefore(old *corev1.Service) *corev1.IPFamily {
	if old == nil {
		return nil
	}
	return familyOf(old)
}
