package limits

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// limitRangerAnnotation is set on a pod to tell what the plugin changed.
const limitRangerAnnotation = "kubernetes.io/limit-ranger"

// containerDefaults are a limit range's defaults for containers.
type containerDefaults struct{ requests, limits corev1.ResourceList }

// containerDefaultsOf collects the defaults for containers from all items. If two are for the same resource, the later
// one counts (LR-10).
func containerDefaultsOf(r *corev1.LimitRange) containerDefaults {
	d := containerDefaults{corev1.ResourceList{}, corev1.ResourceList{}}
	for _, item := range r.Spec.Limits {
		if item.Type == corev1.LimitTypeContainer {
			maps.Copy(d.requests, item.DefaultRequest)
			maps.Copy(d.limits, item.Default)
		}
	}
	return d
}

// fill returns the pod with defaults for what its containers do not set, and the text of the annotation, or "" if
// nothing was set (LR-11 to LR-20).
func (d containerDefaults) fill(pod *corev1.Pod) (filled *corev1.Pod, set string) {
	if len(d.requests) == 0 && len(d.limits) == 0 {
		return pod, ""
	}
	containers, words := d.fillAll(pod.Spec.Containers, "container ", nil)
	initContainers, words := d.fillAll(pod.Spec.InitContainers, "init container ", words)
	if words == nil {
		return pod, ""
	}
	set = strings.Join(words, "; ")
	changed := *pod
	changed.Spec.Containers, changed.Spec.InitContainers = containers, initContainers
	changed.Annotations = maps.Clone(pod.Annotations)
	if changed.Annotations == nil {
		changed.Annotations = map[string]string{}
	}
	changed.Annotations[limitRangerAnnotation] = "LimitRanger plugin set: " + set // LR-17, LR-18
	return &changed, set
}

// fillAll returns the containers with defaults, and words with a description of each change. If nothing changes, it
// returns the given slices.
func (d containerDefaults) fillAll(containers []corev1.Container, kind string, words []string) ([]corev1.Container, []string) {
	filled := containers
	for i := range containers {
		c := containers[i]
		var requests, limits string
		c.Resources.Requests, requests = filledList(c.Resources.Requests, d.requests)
		c.Resources.Limits, limits = filledList(c.Resources.Limits, d.limits)
		if requests == "" && limits == "" {
			continue
		}
		if &filled[0] == &containers[0] {
			filled = slices.Clone(containers)
		}
		filled[i] = c
		if requests != "" {
			words = append(words, requests+" request for "+kind+c.Name)
		}
		if limits != "" {
			words = append(words, limits+" limit for "+kind+c.Name)
		}
	}
	return filled, words
}

// filledList returns the list with defaults for the missing names, and these names (LR-12).
func filledList(list, defaults corev1.ResourceList) (filled corev1.ResourceList, names string) {
	var missing []string
	for name := range defaults {
		if _, ok := list[name]; !ok {
			missing = append(missing, string(name))
		}
	}
	if missing == nil {
		return list, ""
	}
	slices.Sort(missing)
	filled = corev1.ResourceList{}
	maps.Copy(filled, list)
	for _, name := range missing {
		filled[corev1.ResourceName(name)] = defaults[corev1.ResourceName(name)]
	}
	return filled, strings.Join(missing, ", ")
}
