package limits

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// podCount counts pods and the resources of their containers (RQ-30 to RQ-34).
type podCount struct {
	req     admission.Request
	release *kubeversion.Release
	now     time.Time
}

const podObjects corev1.ResourceName = "count/pods"

// deviceClassPrefix follows "requests." in a quota's name for devices that pods request like other resources.
const deviceClassPrefix = "deviceclass.resource.kubernetes.io/"

func (c podCount) handles() bool {
	switch {
	case c.req.Subresource == "resize":
		return c.req.Operation == admissionv1.Update
	case c.req.Subresource != "":
		return false
	case c.req.Operation == admissionv1.Create:
		return true
	case !c.release.Has(kubeversion.QuotaChargesScopeChanges):
		return false // an update can change the scopes of a pod; the server overlooked that
	}
	now, isPod := c.req.Object.(*corev1.Pod)
	before, wasPod := c.req.OldObject.(*corev1.Pod)
	return isPod && wasPod && hasDeadline(now) != hasDeadline(before)
}

func (c podCount) counts(name corev1.ResourceName) bool {
	switch name {
	case podObjects, corev1.ResourcePods,
		corev1.ResourceCPU, corev1.ResourceRequestsCPU, corev1.ResourceLimitsCPU,
		corev1.ResourceMemory, corev1.ResourceRequestsMemory, corev1.ResourceLimitsMemory,
		corev1.ResourceEphemeralStorage, corev1.ResourceRequestsEphemeralStorage, corev1.ResourceLimitsEphemeralStorage:
		return true
	}
	requested, isRequest := strings.CutPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
	switch {
	case strings.HasPrefix(requested, corev1.ResourceHugePagesPrefix):
		return true
	case isRequest && strings.HasPrefix(requested, deviceClassPrefix):
		return c.release.Enabled("DRAExtendedResource")
	}
	return isRequest && !rules.IsNative(name)
}

func (c podCount) usage(object runtime.Object, _ *cluster.State) corev1.ResourceList {
	used := corev1.ResourceList{podObjects: units(1)}
	pod, ok := object.(*corev1.Pod)
	if !ok || c.isOver(pod) {
		return used
	}
	requests, limits := podresources.OfPod(pod, c.release)
	return podresources.Sum(used, c.named(requests, limits))
}

// isOver reports whether a pod has finished, or should have been deleted by now (RQ-31).
func (c podCount) isOver(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return true
	}
	gone, grace := pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds
	return gone != nil && grace != nil && c.now.After(gone.Add(time.Duration(*grace)*time.Second))
}

// named returns the resources of a pod or of a container under the names that quotas use.
func (c podCount) named(requests, limits corev1.ResourceList) corev1.ResourceList {
	used := corev1.ResourceList{corev1.ResourcePods: units(1)}
	for name, q := range requests {
		request := corev1.DefaultResourceRequestsPrefix + name
		switch {
		case isCompute(name) || podresources.IsHugePages(name):
			used[name], used[request] = q, q
		case rules.IsExtended(name), strings.HasPrefix(string(name), deviceClassPrefix) && c.release.Enabled("DRAExtendedResource"):
			used[request] = q
		}
	}
	for name, q := range limits {
		if isCompute(name) {
			used["limits."+name] = q
		}
	}
	return used
}

func isCompute(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage
}

// demanded are the names for which every container needs a request or limit, if a quota counts them (RQ-33).
var demanded = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
	corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
}

func (c podCount) missing(counted map[corev1.ResourceName]bool, object runtime.Object) string {
	pod, ok := object.(*corev1.Pod)
	if !ok || podresources.HasOwn(pod) && c.release.Enabled("PodLevelResources") {
		return ""
	}
	silent := map[corev1.ResourceName][]string{}
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for _, container := range containers {
			has := c.named(container.Resources.Requests, container.Resources.Limits)
			for _, name := range demanded {
				if _, ok := has[name]; counted[name] && !ok {
					silent[name] = append(silent[name], container.Name)
				}
			}
		}
	}
	if !c.release.Has(kubeversion.SilentContainersNamed) {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(silent)) {
			names = append(names, string(name))
		}
		return strings.Join(names, ",")
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(silent)) {
		slices.Sort(silent[name])
		parts = append(parts, fmt.Sprintf("%s for: %s", name, strings.Join(slices.Compact(silent[name]), ",")))
	}
	return strings.Join(parts, "; ")
}

func (c podCount) inScope(scope corev1.ScopedResourceSelectorRequirement, object runtime.Object) bool {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return false
	}
	switch scope.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return hasDeadline(pod)
	case corev1.ResourceQuotaScopeNotTerminating:
		return !hasDeadline(pod)
	case corev1.ResourceQuotaScopeBestEffort:
		return podresources.QOSOf(pod, c.release) == corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopeNotBestEffort:
		return podresources.QOSOf(pod, c.release) != corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopePriorityClass:
		return selects(scope, pod.Spec.PriorityClassName)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return c.release.Has(kubeversion.CrossNamespacePodsCounted) && looksAcross(pod.Spec.Affinity)
	}
	return false
}

func hasDeadline(pod *corev1.Pod) bool {
	d := pod.Spec.ActiveDeadlineSeconds
	return d != nil && *d >= 0
}

// looksAcross reports whether an affinity includes pods of other namespaces.
func looksAcross(a *corev1.Affinity) bool {
	if a == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	var weighted []corev1.WeightedPodAffinityTerm
	if a.PodAffinity != nil {
		terms = append(terms, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		weighted = append(weighted, a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if a.PodAntiAffinity != nil {
		terms = append(terms, a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		weighted = append(weighted, a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for _, w := range weighted {
		terms = append(terms, w.PodAffinityTerm)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool {
		return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
	})
}

// selects reports whether the selector of a scope matches an object with these values; empty values are ignored. An
// invalid selector matches nothing.
func selects(scope corev1.ScopedResourceSelectorRequirement, values ...string) bool {
	operator, ok := map[corev1.ScopeSelectorOperator]selection.Operator{
		corev1.ScopeSelectorOpIn:           selection.In,
		corev1.ScopeSelectorOpNotIn:        selection.NotIn,
		corev1.ScopeSelectorOpExists:       selection.Exists,
		corev1.ScopeSelectorOpDoesNotExist: selection.DoesNotExist,
	}[scope.Operator]
	if !ok {
		return false
	}
	requirement, err := labels.NewRequirement(string(scope.ScopeName), operator, scope.Values)
	if err != nil {
		return false
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	if len(values) == 0 {
		return requirement.Matches(labels.Set{})
	}
	return slices.ContainsFunc(values, func(v string) bool {
		return requirement.Matches(labels.Set{string(scope.ScopeName): v})
	})
}
