package limits

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// increase returns by how much now exceeds before.
func increase(now, before corev1.ResourceList) corev1.ResourceList {
	more := corev1.ResourceList{}
	for name, q := range now {
		q = q.DeepCopy()
		q.Sub(before[name])
		if q.Sign() > 0 {
			more[name] = q
		}
	}
	return more
}

// only returns the quantities of list whose names are in names.
func only[V any](list corev1.ResourceList, names map[corev1.ResourceName]V) corev1.ResourceList {
	kept := corev1.ResourceList{}
	for name, q := range list {
		if _, ok := names[name]; ok {
			kept[name] = q
		}
	}
	return kept
}

// above returns the quantities of list that exceed their limit.
func above(list, limits corev1.ResourceList) corev1.ResourceList {
	over := corev1.ResourceList{}
	for name, q := range list {
		if limit, ok := limits[name]; ok && q.Cmp(limit) > 0 {
			over[name] = q
		}
	}
	return over
}

func withoutZeros(list corev1.ResourceList) corev1.ResourceList {
	kept := corev1.ResourceList{}
	for name, q := range list {
		if !q.IsZero() {
			kept[name] = q
		}
	}
	return kept
}

// quantities formats a list for messages: name=quantity, sorted by name.
func quantities(list corev1.ResourceList) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		q := list[name]
		parts = append(parts, fmt.Sprintf("%s=%s", name, q.String()))
	}
	return strings.Join(parts, ",")
}

// names formats names for messages: sorted, without duplicates.
func names(list []corev1.ResourceName) string {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	var texts []string
	for _, name := range list {
		texts = append(texts, string(name))
	}
	return strings.Join(texts, ",")
}

func units(n int) resource.Quantity {
	return *resource.NewQuantity(int64(n), resource.DecimalSI)
}
