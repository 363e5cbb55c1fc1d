package pods

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
)

func toleration(key string, op corev1.TolerationOperator, value string, effect corev1.TaintEffect, seconds ...int64) corev1.Toleration {
	t := corev1.Toleration{Key: key, Operator: op, Value: value, Effect: effect}
	if len(seconds) > 0 {
		t.TolerationSeconds = &seconds[0]
	}
	return t
}

func TestIncludes(t *testing.T) { // MT-02
	const (
		equal, exists         = corev1.TolerationOpEqual, corev1.TolerationOpExists
		noSchedule, noExecute = corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute
	)
	for _, c := range []struct {
		reason   string
		wider, t corev1.Toleration
		want     bool
	}{
		{"equal", toleration("a", equal, "1", noSchedule), toleration("a", equal, "1", noSchedule), true},
		{"another key", toleration("a", exists, "", noSchedule), toleration("b", exists, "", noSchedule), false},
		{"no key and Exists is every key", toleration("", exists, "", noSchedule), toleration("b", equal, "1", noSchedule), true},
		{"no key and Equal is no key", toleration("", equal, "", noSchedule), toleration("b", equal, "", noSchedule), false},
		{"another effect", toleration("a", exists, "", noSchedule), toleration("a", exists, "", noExecute), false},
		{"no effect is every effect", toleration("a", exists, "", ""), toleration("a", exists, "", noExecute), true},
		{"an effect does not include all of them", toleration("a", exists, "", noExecute), toleration("a", exists, "", ""), false},
		{"Exists is every value", toleration("a", exists, "", noSchedule), toleration("a", equal, "1", noSchedule), true},
		{"another value", toleration("a", equal, "1", noSchedule), toleration("a", equal, "2", noSchedule), false},
		{"no operator is Equal in the wider one", toleration("a", "", "1", noSchedule), toleration("a", equal, "1", noSchedule), true},
		{"but not in the other", toleration("a", equal, "1", noSchedule), toleration("a", "", "1", noSchedule), false},
		{"for a shorter time", toleration("a", exists, "", noExecute, 10), toleration("a", exists, "", noExecute, 5), true},
		{"for a longer time", toleration("a", exists, "", noExecute, 10), toleration("a", exists, "", noExecute, 11), false},
		{"forever", toleration("a", exists, "", noExecute, 10), toleration("a", exists, "", noExecute), false},
		{"forever includes any time", toleration("a", exists, "", noExecute), toleration("a", exists, "", noExecute, 11), true},
		{"time means nothing to other effects", toleration("a", exists, "", "", 10), toleration("a", exists, "", noExecute, 11), true},
		{"comparisons include nothing", toleration("a", corev1.TolerationOpLt, "9", noSchedule), toleration("a", corev1.TolerationOpLt, "8", noSchedule), false},
	} {
		if got := includes(c.wider, c.t); got != c.want {
			t.Errorf("%s: includes(%v, %v) = %v, want %v", c.reason, c.wider, c.t, got, c.want)
		}
	}
}

func TestMergedTolerations(t *testing.T) { // MT-01
	a1 := toleration("a", corev1.TolerationOpEqual, "1", corev1.TaintEffectNoSchedule)
	a2 := toleration("a", corev1.TolerationOpEqual, "2", corev1.TaintEffectNoSchedule)
	a := toleration("a", corev1.TolerationOpExists, "", "")
	b := toleration("b", corev1.TolerationOpExists, "", corev1.TaintEffectNoExecute)
	type list = []corev1.Toleration
	for _, c := range []struct {
		reason              string
		first, second, want list
	}{
		{"nothing", nil, nil, nil},
		{"the first list comes first", list{a1}, list{b}, list{a1, b}},
		{"a toleration that an earlier one includes is dropped", list{a}, list{a1, a2, b}, list{a, b}},
		{"a toleration that a later one includes is dropped", list{a1, b, a2}, list{a}, list{b, a}},
		{"of equal tolerations the first stays", list{a1, b}, list{b, a1}, list{a1, b}},
		{"also within one list", list{a1, a1}, nil, list{a1}},
	} {
		if diff := cmp.Diff(c.want, mergedTolerations(c.first, c.second)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

// Up to 1.14 the tolerations that are added are in any order, which only matters if there are several (PTR-08).
func TestMergedInAnyOrder(t *testing.T) {
	about := func(keys ...string) (all []corev1.Toleration) {
		for _, key := range keys {
			all = append(all, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
		}
		return all
	}
	for _, c := range []struct {
		first, second, want []corev1.Toleration
		loose               bool
	}{
		{about("a", "b"), about("c"), about("c", "a", "b"), true},
		{about("a", "c"), about("c"), about("c", "a"), false},
		{about("a", "a"), nil, about("a"), false},
	} {
		course := &admission.Course{Context: t.Context()}
		if got := mergedInAnyOrder(c.first, c.second, course); !cmp.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.first, c.second, got, c.want)
		}
		var want []string
		if c.loose {
			want = []string{"the order of tolerations: PodTolerationRestriction merges them in any order"}
		}
		if got := course.Loose(); !slices.Equal(got, want) {
			t.Errorf("%v and %v: loose %q, want %q", c.first, c.second, got, want)
		}
	}
}
