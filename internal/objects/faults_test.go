package objects

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestCountOrShare(t *testing.T) {
	for v, wrong := range map[string]bool{"50%": false, "100%": false, "0100%": false, "101%": true, "x": true} {
		p := intstr.FromString(v)
		if got := len(countOrShare(&p, specPath)) > 0; got != wrong {
			t.Errorf("%s is refused: %t, want %t", v, got, wrong)
		}
	}
}

func TestLimitsInOrder(t *testing.T) {
	cpu := func(v string) corev1.ResourceList { return corev1.ResourceList{"cpu": resource.MustParse(v)} }
	l := &corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: cpu("2"), Max: cpu("1")}
	errs := validateLimit(l, specPath)
	if len(errs) != 1 || errs[0].Detail != "min value 2 is greater than max value 1" {
		t.Errorf("got %v", errs)
	}
}
