package pods

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/semantic"
)

// mergedTolerations are those of both lists, without the ones that others of them make
// needless; of equal ones the first stays (MT-01).
func mergedTolerations(first, second []corev1.Toleration) []corev1.Toleration {
	all := make([]corev1.Toleration, 0, len(first)+len(second))
	all = append(append(all, first...), second...)
	var merged []corev1.Toleration
	for i, t := range all {
		if !toleratedBy(merged, t) && !toleratedByOther(all[i+1:], t) {
			merged = append(merged, t)
		}
	}
	return merged
}

// toleratedBy reports whether one of list tolerates all that t does.
func toleratedBy(list []corev1.Toleration, t corev1.Toleration) bool {
	for _, wider := range list {
		if includes(wider, t) {
			return true
		}
	}
	return false
}

// toleratedByOther is toleratedBy for those of list that are not just t again.
func toleratedByOther(list []corev1.Toleration, t corev1.Toleration) bool {
	for _, wider := range list {
		if !semantic.DeepEqual(wider, t) && includes(wider, t) {
			return true
		}
	}
	return false
}

// includes reports whether wider tolerates all that t does, as far as the server looks
// (MT-02: kubernetes/kubernetes:pkg/util/tolerations/tolerations.go).
func includes(wider, t corev1.Toleration) bool {
	if semantic.DeepEqual(wider, t) {
		return true
	}
	allKeys := wider.Key == "" && wider.Operator == corev1.TolerationOpExists
	if wider.Key != t.Key && !allKeys {
		return false
	}
	if wider.Effect != t.Effect && wider.Effect != "" {
		return false
	}
	if limit := wider.TolerationSeconds; wider.Effect == corev1.TaintEffectNoExecute && limit != nil {
		if t.TolerationSeconds == nil || *t.TolerationSeconds > *limit {
			return false
		}
	}
	switch wider.Operator {
	case corev1.TolerationOpExists:
		return true
	case corev1.TolerationOpEqual, "":
		return t.Operator == corev1.TolerationOpEqual && t.Value == wider.Value
	}
	return false // comparisons include nothing but themselves
}
