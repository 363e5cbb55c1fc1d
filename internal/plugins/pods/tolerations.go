package pods

import (
	"slices"

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

// What follows is how tolerations were compared before 1.16, where two are about one taint if they have the same key and
// effect: kubernetes/kubernetes@v1.15.12:pkg/util/tolerations/tolerations.go.

func aboutOneTaint(a, b corev1.Toleration) bool { return a.Key == b.Key && a.Effect == b.Effect }

// lastOfKeys has of all that are about one taint the last.
func lastOfKeys(list []corev1.Toleration) []corev1.Toleration {
	var last []corev1.Toleration
	for i, t := range list {
		if !slices.ContainsFunc(list[i+1:], func(later corev1.Toleration) bool { return aboutOneTaint(t, later) }) {
			last = append(last, t)
		}
	}
	return last
}

// conflicting is the first of a list to whose taint another list says something else; nil if there is none.
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

// beside are the second list, and of the first what is about other taints, of several about one the last. One that
// comes twice in the same words stays, in 1.15; which order the others had is random in the releases before.
func beside(first, second []corev1.Toleration) []corev1.Toleration {
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
