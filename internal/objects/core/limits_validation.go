// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package core

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The resources whose names need no domain.
var computeResources = []string{"cpu", "memory", "ephemeral-storage"}

var limitTypes = []corev1.LimitType{corev1.LimitTypePod, corev1.LimitTypeContainer, corev1.LimitTypePersistentVolumeClaim}

func nameOfLimit(t corev1.LimitType, name string, path *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.NameOfResource(name, path))
	if t != corev1.LimitTypePod && t != corev1.LimitTypeContainer || strings.Contains(name, "/") {
		return errs.List()
	}
	known := slices.Contains(computeResources, name) || podresources.IsHugePages(corev1.ResourceName(name))
	errs.Add(rules.Unless(known, path, corev1.ResourceName(name), "must be a standard resource for containers"))
	return errs.List()
}

func validateLimitRange(l *corev1.LimitRange, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	seen := map[corev1.LimitType]bool{}
	for i := range l.Spec.Limits {
		limit, path := &l.Spec.Limits[i], rules.SpecPath.Child("limits").Index(i)
		errs.Add(limitType(limit.Type, path.Child("type")))
		if seen[limit.Type] {
			errs.Duplicate(path.Child("type"), limit.Type)
		}
		seen[limit.Type] = true
		errs.Add(validateLimit(limit, path))
	}
	return errs.List()
}

func limitType(t corev1.LimitType, path *field.Path) field.ErrorList {
	if errs := rules.Faults(path, string(t), content.IsLabelKey(string(t))); len(errs) > 0 {
		return errs
	}
	return rules.Unless(slices.Contains(limitTypes, t) || strings.Contains(string(t), "/"), path, t, "must be a standard limit type or fully qualified")
}

func validateLimit(l *corev1.LimitRangeItem, path *field.Path) field.ErrorList {
	var errs rules.Errors
	keys := corev1.ResourceList{}
	names := func(field string, list corev1.ResourceList) {
		for name, q := range rules.Sorted(list) {
			errs.Add(nameOfLimit(l.Type, string(name), path.Child(field).Key(string(name))))
			keys[name] = q
		}
	}
	names("max", l.Max)
	names("min", l.Min)
	if l.Type == corev1.LimitTypePod {
		if len(l.Default) > 0 {
			errs.Forbidden(path.Child("default"), "may not be specified when `type` is 'Pod'")
		}
		if len(l.DefaultRequest) > 0 {
			errs.Forbidden(path.Child("defaultRequest"), "may not be specified when `type` is 'Pod'")
		}
	} else {
		names("default", l.Default)
		names("defaultRequest", l.DefaultRequest)
	}
	if l.Type == corev1.LimitTypePersistentVolumeClaim && !rules.Has(l.Min, corev1.ResourceStorage) && !rules.Has(l.Max, corev1.ResourceStorage) {
		errs.Required(path.Child("limits"), "either minimum or maximum storage value is required, but neither was provided")
	}
	names("maxLimitRequestRatio", l.MaxLimitRequestRatio)
	for name := range rules.Sorted(keys) {
		errs.Add(limitsOf(l, name, path))
	}
	return errs.List()
}

// limitsOf checks that the limits of a resource are consistent.
func limitsOf(l *corev1.LimitRangeItem, name corev1.ResourceName, path *field.Path) field.ErrorList {
	var errs rules.Errors
	least, hasMin := l.Min[name]
	most, hasMax := l.Max[name]
	request, hasRequest := l.DefaultRequest[name]
	limit, hasLimit := l.Default[name]
	ordered := func(both bool, low, high, shown resource.Quantity, at, lowName, highName string) {
		if both && low.Cmp(high) > 0 {
			errs.Invalid(path.Child(at).Key(string(name)), shown, fmt.Sprintf("%s value %s is greater than %s value %s", lowName, low.String(), highName, high.String()))
		}
	}
	ordered(hasMin && hasMax, least, most, least, "min", "min", "max")
	ordered(hasMin && hasRequest, least, request, request, "defaultRequest", "min", "default request")
	ordered(hasMax && hasRequest, request, most, request, "defaultRequest", "default request", "max")
	ordered(hasLimit && hasRequest, request, limit, request, "defaultRequest", "default request", "default limit")
	ordered(hasMin && hasLimit, least, limit, least, "default", "min", "default")
	ordered(hasMax && hasLimit, limit, most, most, "default", "default", "max")
	ratio, hasRatio := l.MaxLimitRequestRatio[name]
	if !hasRatio {
		return errs.List()
	}
	at := path.Child("maxLimitRequestRatio").Key(string(name))
	one := resource.MustParse("1")
	errs.Add(rules.Unless(ratio.Cmp(one) >= 0, at, ratio, fmt.Sprintf("ratio %s is less than 1", ratio.String())))
	if hasMin && hasMax {
		given, widest := ratiosOf(ratio, most, least)
		errs.Add(rules.Unless(!(given > widest), at, ratio, fmt.Sprintf("ratio %s is greater than max/min = %f", ratio.String(), widest)))
	}
	return errs.List()
}

// ratiosOf returns a ratio, and the ratio of two amounts, calculated in thousandths unless one of them is too large for
// that. The server uses 64-bit integers, and values that do not fit overflow. If both amounts are zero, no ratio
// exceeds theirs.
func ratiosOf(ratio, most, least resource.Quantity) (given, widest float64) {
	if ratio.Value() < resource.MaxMilliValue && most.Value() < resource.MaxMilliValue && least.Value() < resource.MaxMilliValue {
		return float64(ratio.MilliValue()) / 1000, float64(most.MilliValue()) / float64(least.MilliValue())
	}
	return float64(ratio.Value()), float64(most.Value()) / float64(least.Value())
}

func validateQuota(q *corev1.ResourceQuota, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(quotaList(q.Spec.Hard, rules.SpecPath.Child("hard")))
	path := rules.SpecPath.Child("scopes")
	for i, scope := range q.Spec.Scopes {
		if !isQuotaScope(scope, r) {
			errs.Invalid(path, q.Spec.Scopes, "unsupported scope")
		}
		for name := range rules.Sorted(q.Spec.Hard) {
			if slices.Contains(rules.QuotaResources, string(name)) && !countsIn(scope, string(name)) {
				errs.Invalid(path, q.Spec.Scopes, "unsupported scope applied to resource")
			}
		}
		if slices.Contains(q.Spec.Scopes[:i], opposite[scope]) && !slices.Contains(q.Spec.Scopes[:i], scope) {
			errs.Invalid(path, q.Spec.Scopes, "conflicting scopes")
		}
	}
	if q.Spec.ScopeSelector != nil {
		errs.Add(scopeSelector(&q.Spec, r))
	}
	return errs.List()
}

// scopeSelector checks the scopes of a quota in their longer form.
func scopeSelector(s *corev1.ResourceQuotaSpec, r rules.Request) field.ErrorList {
	var errs rules.Errors
	at := rules.SpecPath.Child("scopeSelector", "matchExpressions")
	seen := sets.New[corev1.ResourceQuotaScope]()
	for _, m := range s.ScopeSelector.MatchExpressions {
		errs.Add(rules.Unless(isQuotaScope(m.ScopeName, r), at.Child("scopeName"), m.ScopeName, "unsupported scope"))
		for name := range rules.Sorted(s.Hard) {
			if slices.Contains(rules.QuotaResources, string(name)) && !countsIn(m.ScopeName, string(name)) {
				errs.Invalid(at, rules.AsInternal(s.ScopeSelector), "unsupported scope applied to resource")
			}
		}
		_, hasOpposite := opposite[m.ScopeName]
		if (hasOpposite || m.ScopeName == corev1.ResourceQuotaScopeCrossNamespacePodAffinity) && m.Operator != corev1.ScopeSelectorOpExists {
			errs.Invalid(at.Child("operator"), m.Operator, "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity")
		}
		errs.Add(scopeValues(m, at))
		seen.Insert(m.ScopeName)
	}
	for _, scope := range []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeTerminating} {
		errs.Add(rules.Unless(!seen.HasAll(scope, opposite[scope]), at, s.Scopes, "conflicting scopes"))
	}
	return errs.List()
}

func scopeValues(m corev1.ScopedResourceSelectorRequirement, at *field.Path) field.ErrorList {
	switch m.Operator {
	case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
		if len(m.Values) == 0 {
			return field.ErrorList{field.Required(at.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")}
		}
		return nil
	case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
		return rules.Unless(len(m.Values) == 0, at.Child("values"), m.Values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")
	}
	return field.ErrorList{field.Invalid(at.Child("operator"), m.Operator, "not a valid selector operator")}
}

func validateQuotaUpdate(q, old *corev1.ResourceQuota, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if r.Subresource == "status" || !r.Release.Has(kubeversion.QuotasCheckedOnce) {
		path := field.NewPath("status")
		errs.Add(quotaList(q.Status.Hard, path.Child("hard")))
		errs.Add(quotaList(q.Status.Used, path.Child("used")))
	}
	if r.Subresource == "" {
		errs.Add(rules.Unless(sets.New(q.Spec.Scopes...).Equal(sets.New(old.Spec.Scopes...)), rules.SpecPath.Child("scopes"), q.Spec.Scopes, "field is immutable"))
	}
	return errs.List()
}

// isQuotaScope reports whether a release knows a scope (kubernetes/kubernetes:pkg/apis/core/helper/helpers.go).
func isQuotaScope(scope corev1.ResourceQuotaScope, r rules.Request) bool {
	switch scope {
	case corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeBestEffort,
		corev1.ResourceQuotaScopeNotBestEffort, corev1.ResourceQuotaScopePriorityClass:
		return true
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return r.Release.Has(kubeversion.CrossNamespaceQuotaScope) || r.Release.Enabled("PodAffinityNamespaceSelector")
	case corev1.ResourceQuotaScopeVolumeAttributesClass:
		return r.Release.Has(kubeversion.VolumeAttributesQuotaScope)
	}
	return false
}

var opposite = map[corev1.ResourceQuotaScope]corev1.ResourceQuotaScope{
	corev1.ResourceQuotaScopeTerminating:    corev1.ResourceQuotaScopeNotTerminating,
	corev1.ResourceQuotaScopeNotTerminating: corev1.ResourceQuotaScopeTerminating,
	corev1.ResourceQuotaScopeBestEffort:     corev1.ResourceQuotaScopeNotBestEffort,
	corev1.ResourceQuotaScopeNotBestEffort:  corev1.ResourceQuotaScopeBestEffort,
}

// countsIn reports whether a scope affects a resource.
func countsIn(scope corev1.ResourceQuotaScope, name string) bool {
	switch scope {
	case corev1.ResourceQuotaScopeBestEffort:
		return name == "pods"
	case corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeNotBestEffort,
		corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return slices.Contains([]string{"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"}, name)
	case corev1.ResourceQuotaScopeVolumeAttributesClass:
		return name == "persistentvolumeclaims" || name == "requests.storage"
	}
	return true
}

func quotaList(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs rules.Errors
	for name, q := range rules.Sorted(list) {
		at := path.Key(string(name))
		errs.Add(rules.NameOfResource(string(name), at))
		if !strings.Contains(string(name), "/") {
			errs.Add(rules.Unless(rules.IsQuotaResource(string(name)), at, name, "must be a standard resource for quota"))
		}
		errs.Add(rules.ReadQuantity(name, q, at))
	}
	return errs.List()
}
