package objects

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

var limitRange = rules[*corev1.LimitRange]{
	validate: validateLimitRange,
	onUpdate: checkNew,
	name:     dnsSubdomain,
	defaults: func(l *corev1.LimitRange) {
		for i := range l.Spec.Limits {
			defaultLimit(&l.Spec.Limits[i])
		}
	},
	prepareForCreate: func(l *corev1.LimitRange, r request) {
		if l.Name == "" && r.NewUID != nil {
			l.Name = string(r.NewUID())
		}
	},
	behaviour: Behaviour{CreateOnUpdate: true},
}

func defaultLimit(l *corev1.LimitRangeItem) {
	if l.Type == corev1.LimitTypeContainer {
		if l.Default == nil {
			l.Default = corev1.ResourceList{}
		}
		if l.DefaultRequest == nil {
			l.DefaultRequest = corev1.ResourceList{}
		}
		addMissing(l.Default, l.Max)
		addMissing(l.DefaultRequest, l.Default)
		addMissing(l.DefaultRequest, l.Min)
	}
	roundUp(l.Max, l.Min, l.Default, l.DefaultRequest, l.MaxLimitRequestRatio)
}

var resourceQuota = rules[*corev1.ResourceQuota]{
	validate:       validateQuota,
	validateUpdate: validateQuotaUpdate,
	onUpdate:       checkKind,
	name:           dnsSubdomain,
	status:         func(q *corev1.ResourceQuota) any { return &q.Status },
	defaults:       func(q *corev1.ResourceQuota) { roundUp(q.Spec.Hard, q.Status.Hard, q.Status.Used) },
	warnings:       quotaWarnings,
}

// quotaWarnings are about requests that quotas for limits leave no use for:
// kubernetes/kubernetes:pkg/registry/core/resourcequota/strategy.go, WarningsOnCreate.
func quotaWarnings(q, old *corev1.ResourceQuota, r request) (all []string) {
	if old != nil || !r.Release.Has(kubeversion.QuotaWarnings) {
		return nil
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceStorage, corev1.ResourceEphemeralStorage} {
		asked, limited := "requests."+name, "limits."+name
		if _, ok := q.Spec.Hard[asked]; !ok && (name == corev1.ResourceCPU || name == corev1.ResourceMemory) {
			asked = name
		}
		request, requests := q.Spec.Hard[asked]
		limit, limits := q.Spec.Hard[limited]
		if requests && limits && request.Cmp(limit) > 0 {
			all = append(all, fmt.Sprintf("ResourceQuota %s (%s) should be less than %s (%s)", asked, &request, limited, &limit))
		}
	}
	return all
}
