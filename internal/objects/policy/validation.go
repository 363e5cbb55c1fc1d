// kubernetes/kubernetes:pkg/apis/policy/validation/validation.go

package policy

import (
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var evictionPolicies = []string{string(policyv1.AlwaysAllow), string(policyv1.IfHealthyBudget)}

func validateBudget(b *policyv1.PodDisruptionBudget, _ rules.Request) field.ErrorList {
	return budgetSpec(&b.Spec)
}

func validateBudgetUpdate(b, _ *policyv1.PodDisruptionBudget, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return budgetStatus(&b.Status, r)
	}
	errs := budgetSpec(&b.Spec)
	if !r.Release.Has(kubeversion.BudgetStatusApart) {
		errs = append(errs, budgetNumbers(&b.Status, r)...)
	}
	return errs
}

func budgetSpec(s *policyv1.PodDisruptionBudgetSpec) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Unless(s.MinAvailable == nil || s.MaxUnavailable == nil, rules.SpecPath, rules.AsInternal(*s), "minAvailable and maxUnavailable cannot be both set"))
	errs.Add(countOrShare(s.MinAvailable, rules.SpecPath.Child("minAvailable")))
	errs.Add(countOrShare(s.MaxUnavailable, rules.SpecPath.Child("maxUnavailable")))
	errs.Add(rules.LabelValues.Selector(s.Selector, rules.SpecPath.Child("selector")))
	errs.Add(rules.OneOf(s.UnhealthyPodEvictionPolicy, evictionPolicies, rules.SpecPath.Child("unhealthyPodEvictionPolicy")))
	return errs.List()
}

// countOrShare checks a number of pods, or a percentage of at most 100.
func countOrShare(v *intstr.IntOrString, path *field.Path) field.ErrorList {
	if v == nil {
		return nil
	}
	if v.Type == intstr.Int {
		return validation.ValidateNonnegativeField(int64(v.IntVal), path)
	}
	if errs := rules.Faults(path, *v, utilvalidation.IsValidPercent(v.StrVal)); len(errs) > 0 {
		return errs
	}
	digits := strings.TrimLeft(strings.TrimSuffix(v.StrVal, "%"), "0")
	return rules.Unless(len(digits) < 3 || digits == "100", path, *v, "must not be greater than 100%")
}

func budgetStatus(s *policyv1.PodDisruptionBudgetStatus, r rules.Request) field.ErrorList {
	if !r.Release.Has(kubeversion.BudgetStatusApart) {
		return nil
	}
	errs := rules.Conditions(r.Release, s.Conditions, field.NewPath("status", "conditions"))
	if r.IsBeta() {
		return errs
	}
	return append(errs, budgetNumbers(s, r)...)
}

func budgetNumbers(s *policyv1.PodDisruptionBudgetStatus, r rules.Request) field.ErrorList {
	allowed := "disruptionsAllowed"
	if !r.Release.Has(kubeversion.DisruptionsAllowedNamed) {
		allowed = "podDisruptionsAllowed"
	}
	path := field.NewPath("status")
	var errs rules.Errors
	errs.Add(validation.ValidateNonnegativeField(int64(s.DisruptionsAllowed), path.Child(allowed)))
	errs.Add(validation.ValidateNonnegativeField(int64(s.CurrentHealthy), path.Child("currentHealthy")))
	errs.Add(validation.ValidateNonnegativeField(int64(s.DesiredHealthy), path.Child("desiredHealthy")))
	errs.Add(validation.ValidateNonnegativeField(int64(s.ExpectedPods), path.Child("expectedPods")))
	return errs.List()
}
