package manifests

import (
	"fmt"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// compatible agrees with trying all labels on the selectors that the server uses.
func TestCompatible(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys, values := []string{"a", "b"}, []string{"1", "2", "3"}
	selector := func() *metav1.LabelSelector {
		s := &metav1.LabelSelector{}
		for range random.IntN(4) {
			r := metav1.LabelSelectorRequirement{Key: keys[random.IntN(2)]}
			r.Operator = []metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist"}[random.IntN(4)]
			if r.Operator == "In" || r.Operator == "NotIn" {
				r.Values = values[:1+random.IntN(3)]
			}
			s.MatchExpressions = append(s.MatchExpressions, r)
		}
		if random.IntN(4) == 0 {
			s.MatchLabels = map[string]string{keys[random.IntN(2)]: values[random.IntN(3)]}
		}
		return s
	}
	no := 0
	for range 5000 {
		one, two := selector(), selector()
		var always []string
		if random.IntN(2) == 0 {
			always = keys[:1]
		}
		key, got := compatible(always, one, two)
		if want := tryAll(t, always != nil, one, two); got != want {
			t.Fatalf("compatible(%v, %s, %s) = %q, %v, want %v", always, metav1.FormatLabelSelector(one), metav1.FormatLabelSelector(two), key, got, want)
		}
		if !got {
			no++
		}
	}
	if no < 100 {
		t.Errorf("only %d pairs are incompatible", no)
	}
}

// tryAll tries every combination of the labels a and b.
func tryAll(t *testing.T, always bool, selectors ...*metav1.LabelSelector) bool {
	t.Helper()
	var all []labels.Selector
	for _, s := range selectors {
		compiled, err := metav1.LabelSelectorAsSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, compiled)
	}
	for _, a := range []string{"", "1", "2", "3", "other"} {
		for _, b := range []string{"", "1", "2", "3", "other"} {
			set := labels.Set{}
			if a != "" {
				set["a"] = a
			}
			if b != "" {
				set["b"] = b
			}
			fits := a != "" || !always
			for _, s := range all {
				fits = fits && s.Matches(set)
			}
			if fits {
				return true
			}
		}
	}
	return false
}

// patternsMeet reports whether two rules have requests in common.
func TestPatternsMeet(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"pods", "pods", true},
		{"pods", "*", true},
		{"pods", "pods/*", true}, // a star also matches no subresource (W-086)
		{"pods/status", "pods/*", true},
		{"pods/status", "*/status", true},
		{"*/scale", "pods/*", true},
		{"pods/status", "pods/exec", false},
		{"*", "*/*", true},
	} {
		for _, way := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := patternsMeet(way[0], way[1]); got != tt.want {
				t.Errorf("patternsMeet(%s) = %v, want %v", fmt.Sprint(way), got, tt.want)
			}
		}
	}
}
