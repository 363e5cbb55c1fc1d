package manifests

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// compatible reports whether there are labels that all selectors match; every object has the labels in always. If there
// are none, key is the label on which the selectors cannot agree.
//
// Each requirement is about one label, so every label can be checked separately: it is absent, has one of the values
// that a selector names, or has another value.
func compatible(always []string, selectors ...*metav1.LabelSelector) (key string, ok bool) {
	requirements := map[string][]metav1.LabelSelectorRequirement{}
	var keys []string
	for _, s := range selectors {
		for _, r := range requirementsOf(s) {
			if !slices.Contains(keys, r.Key) {
				keys = append(keys, r.Key)
			}
			requirements[r.Key] = append(requirements[r.Key], r)
		}
	}
	for _, key := range keys {
		if !satisfiable(requirements[key], slices.Contains(always, key)) {
			return key, false
		}
	}
	return "", true
}

func requirementsOf(s *metav1.LabelSelector) []metav1.LabelSelectorRequirement {
	if s == nil {
		return nil
	}
	all := slices.Clone(s.MatchExpressions)
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		all = append(all, metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{s.MatchLabels[key]}})
	}
	return all
}

// another stands for every value that no selector names.
const another = "\x00"

func satisfiable(all []metav1.LabelSelectorRequirement, present bool) bool {
	values := []string{another}
	for _, r := range all {
		values = append(values, r.Values...)
	}
	fits := func(value string, absent bool) bool {
		return !slices.ContainsFunc(all, func(r metav1.LabelSelectorRequirement) bool { return !admits(r, value, absent) })
	}
	if !present && fits("", true) {
		return true
	}
	return slices.ContainsFunc(values, func(v string) bool { return fits(v, false) })
}

// admits reports whether a label, or its absence, meets a requirement.
func admits(r metav1.LabelSelectorRequirement, value string, absent bool) bool {
	switch r.Operator {
	case metav1.LabelSelectorOpIn:
		return !absent && slices.Contains(r.Values, value)
	case metav1.LabelSelectorOpNotIn:
		return absent || !slices.Contains(r.Values, value)
	case metav1.LabelSelectorOpExists:
		return !absent
	case metav1.LabelSelectorOpDoesNotExist:
		return absent
	}
	return false
}
