package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
)

// mergedTolerations returns the tolerations of both lists without those that others include. Of equal ones the first
// stays (MT-01).
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

// toleratedBy reports whether a toleration in list tolerates everything that t does.
func toleratedBy(list []corev1.Toleration, t corev1.Toleration) bool {
	for _, wider := range list {
		if includes(wider, t) {
			return true
		}
	}
	return false
}

// toleratedByOther does the same as toleratedBy, but ignores tolerations that equal t.
func toleratedByOther(list []corev1.Toleration, t corev1.Toleration) bool {
	for _, wider := range list {
		if !semantic.DeepEqual(wider, t) && includes(wider, t) {
			return true
		}
	}
	return false
}

// includes reports whether wider tolerates everything that t does, as far as the server checks (MT-02:
// kubernetes/kubernetes:pkg/util/tolerations/tolerations.go).
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
	return false // comparisons include only themselves
}

// What follows is how tolerations were compared before 1.16, when two with the same key and effect were about the same
// taint: kubernetes/kubernetes@v1.15.12:pkg/util/tolerations/tolerations.go.

func aboutOneTaint(a, b corev1.Toleration) bool { return a.Key == b.Key && a.Effect == b.Effect }

// lastOfKeys keeps the last of all tolerations about the same taint.
func lastOfKeys(list []corev1.Toleration) []corev1.Toleration {
	var last []corev1.Toleration
	for i, t := range list {
		if !slices.ContainsFunc(list[i+1:], func(later corev1.Toleration) bool { return aboutOneTaint(t, later) }) {
			last = append(last, t)
		}
	}
	return last
}

// conflicting returns the first toleration in first for which second has a different one about the same taint, or nil.
func conflicting(first, second []corev1.Toleration) *corev1.Toleration {
	for _, t := range lastOfKeys(first) {
		for _, other := range lastOfKeys(second) {
			if aboutOneTaint(t, other) && !semantic.DeepEqual(t, other) {
				return &t
			}
		}
	}
	return nil
}

// mergedInAnyOrder returns second with the tolerations of first about other taints, the last one about each taint, which
// the server adds in any order.
func mergedInAnyOrder(first, second []corev1.Toleration, course *admission.Course) []corev1.Toleration {
	added := slices.DeleteFunc(lastOfKeys(first), func(t corev1.Toleration) bool {
		return slices.ContainsFunc(second, func(other corev1.Toleration) bool { return aboutOneTaint(t, other) })
	})
	if len(added) > 1 {
		course.Loosen("the order of tolerations: PodTolerationRestriction merges them in any order")
	}
	return append(slices.Clone(second), added...)
}

// mergedByTaint does the same in order. Identical duplicates stay.
func mergedByTaint(first, second []corev1.Toleration) []corev1.Toleration {
	merged := slices.Clone(second)
	last := lastOfKeys(first)
	for _, t := range first {
		about := func(other corev1.Toleration) bool { return aboutOneTaint(t, other) }
		if !slices.ContainsFunc(second, about) && t == last[slices.IndexFunc(last, about)] {
			merged = append(merged, t)
		}
	}
	return merged
}
