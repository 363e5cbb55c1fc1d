// kubernetes/kubernetes:pkg/registry/core/limitrange/strategy.go
// kubernetes/kubernetes:pkg/registry/core/resourcequota/strategy.go
// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go

package core

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var limitRange = rules.Of[*corev1.LimitRange]{
	Validate: validateLimitRange,
	OnUpdate: rules.CheckNew,
	Name:     rules.DNSSubdomain,
	Defaults: func(l *corev1.LimitRange) {
		for i := range l.Spec.Limits {
			defaultLimit(&l.Spec.Limits[i])
		}
	},
	PrepareForCreate: func(l *corev1.LimitRange, r rules.Request) {
		if l.Name == "" && r.NewUID != nil {
			l.Name = string(r.NewUID())
		}
	},
	Export:    func(*corev1.LimitRange, bool, func()) field.ErrorList { return nil },
	Behaviour: rules.Behaviour{CreateOnUpdate: true},
}

func defaultLimit(l *corev1.LimitRangeItem) {
	if l.Type == corev1.LimitTypeContainer {
		if l.Default == nil {
			l.Default = corev1.ResourceList{}
		}
		if l.DefaultRequest == nil {
			l.DefaultRequest = corev1.ResourceList{}
		}
		pod.AddMissing(l.Default, l.Max)
		pod.AddMissing(l.DefaultRequest, l.Default)
		pod.AddMissing(l.DefaultRequest, l.Min)
	}
	rules.RoundUp(l.Max, l.Min, l.Default, l.DefaultRequest, l.MaxLimitRequestRatio)
}

var resourceQuota = rules.Of[*corev1.ResourceQuota]{
	Validate:       validateQuota,
	ValidateUpdate: validateQuotaUpdate,
	OnUpdate:       rules.CheckKind,
	CheckedOnce:    kubeversion.QuotasCheckedOnce,
	Name:           rules.DNSSubdomain,
	Status:         func(q *corev1.ResourceQuota) any { return &q.Status },
	Defaults:       func(q *corev1.ResourceQuota) { rules.RoundUp(q.Spec.Hard, q.Status.Hard, q.Status.Used) },
	Warnings:       quotaWarnings,
}

// quotaWarnings returns warnings about requests that quotas for limits make useless:
// kubernetes/kubernetes:pkg/registry/core/resourcequota/strategy.go, WarningsOnCreate.
func quotaWarnings(q, old *corev1.ResourceQuota, r rules.Request) (all []string) {
	if old != nil || !r.Release.Has(kubeversion.QuotaWarnings) {
		return nil
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceStorage, corev1.ResourceEphemeralStorage} {
		requested, limited := "requests."+name, "limits."+name
		if _, ok := q.Spec.Hard[requested]; !ok && (name == corev1.ResourceCPU || name == corev1.ResourceMemory) {
			requested = name
		}
		request, requests := q.Spec.Hard[requested]
		limit, limits := q.Spec.Hard[limited]
		if requests && limits && request.Cmp(limit) > 0 {
			all = append(all, fmt.Sprintf("ResourceQuota %s (%s) should be less than %s (%s)", requested, &request, limited, &limit))
		}
	}
	return all
}
