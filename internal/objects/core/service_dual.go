// kubernetes/kubernetes@v1.22.17:pkg/registry/core/service/storage/rest.go

package core

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// familiesOfValid is [serviceAllocation.families] up to 1.22 (PL-08d).
func (a *serviceAllocation) familiesOfValid() (field.ErrorList, error) {
	spec := a.spec
	if spec.Type == corev1.ServiceTypeExternalName || a.staysDual() {
		return nil, nil
	}
	if errs := severalForOne(spec); len(errs) > 0 {
		return errs, nil
	}
	if errs := a.inferFamilies(); len(errs) > 0 {
		return errs, nil
	}
	inferred := a.r.Release.Has(kubeversion.FamilyPoliciesInferred)
	if inferred && len(spec.IPFamilies) == 2 {
		rules.SetDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicyRequireDualStack)
	}
	known := a.from.Families()
	if spec.ClusterIP == corev1.ClusterIPNone && len(spec.Selector) == 0 {
		rules.SetDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicyRequireDualStack)
		isDual := *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack ||
			*spec.IPFamilyPolicy == corev1.IPFamilyPolicyPreferDualStack && (inferred || len(known) == 2)
		a.completeFamilies(isDual)
		return nil, nil
	}
	if errs := a.unknownFamilies(); len(errs) > 0 {
		return errs, nil
	}
	rules.SetDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
	a.completeFamilies(*spec.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack && len(known) == 2)
	return nil, nil
}

// defaultFamilies sets what the families or addresses of a service suggest. In later releases, familiesOfValid does
// (kubernetes/kubernetes@v1.20.15:pkg/apis/core/v1/defaults.go).
func defaultFamilies(spec *corev1.ServiceSpec, r *kubeversion.Release) {
	if !r.Has(kubeversion.DualStack) || r.Has(kubeversion.FamilyPoliciesInferred) || spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	if len(spec.ClusterIPs) == 2 || len(spec.IPFamilies) == 2 {
		rules.SetDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicyRequireDualStack)
	}
	if spec.IPFamilyPolicy != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack && len(spec.IPFamilies) == 1 {
		spec.IPFamilies = append(spec.IPFamilies, otherFamily(spec.IPFamilies[0]))
	}
}

// severalForOne reports a second address and a second family that the policy does not allow.
func severalForOne(spec *corev1.ServiceSpec) field.ErrorList {
	if spec.IPFamilyPolicy == nil || *spec.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack {
		return nil
	}
	var errs rules.Errors
	for _, several := range []struct {
		n    int
		name string
	}{{len(spec.ClusterIPs), "clusterIPs"}, {len(spec.IPFamilies), "ipFamilies"}} {
		message := fmt.Sprintf("must be RequireDualStack or PreferDualStack when multiple '%s' are specified", several.name)
		errs.Add(rules.Unless(several.n != 2, rules.SpecPath.Child("ipFamilyPolicy"), spec.IPFamilyPolicy, message))
	}
	return errs.List()
}

// unknownFamilies reports families that the cluster does not have. It shows the addresses, as the server does.
func (a *serviceAllocation) unknownFamilies() field.ErrorList {
	var errs rules.Errors
	spec, known := a.spec, a.from.Families()
	if spec.IPFamilyPolicy != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack && len(known) < 2 {
		errs.Invalid(rules.SpecPath.Child("ipFamilyPolicy"), spec.IPFamilyPolicy, "Cluster is not configured for dual stack services")
	}
	for i, f := range spec.IPFamilies {
		message := fmt.Sprintf("ipfamily %s is not configured on cluster", f)
		errs.Add(rules.Unless(slices.Contains(known, f), rules.SpecPath.Child("ipFamilies").Index(i), spec.ClusterIPs, message))
	}
	return errs.List()
}

// releaseSecond drops the second address and family if the policy of the update only allows one
// (kubernetes/kubernetes@v1.22.17:pkg/registry/core/service/strategy.go).
func releaseSecond(spec, before *corev1.ServiceSpec) {
	wasDual := before.IPFamilyPolicy != nil && *before.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack
	if wasDual && spec.IPFamilyPolicy != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack {
		spec.ClusterIPs = spec.ClusterIPs[:min(len(spec.ClusterIPs), 1)]
		spec.IPFamilies = spec.IPFamilies[:min(len(spec.IPFamilies), 1)]
	}
}
