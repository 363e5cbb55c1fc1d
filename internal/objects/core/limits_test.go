package core

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/objects/rules"
)

func TestLimitsInOrder(t *testing.T) {
	cpu := func(v string) corev1.ResourceList { return corev1.ResourceList{"cpu": resource.MustParse(v)} }
	l := &corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: cpu("2"), Max: cpu("1")}
	errs := validateLimit(l, rules.SpecPath)
	if len(errs) != 1 || errs[0].Detail != "min value 2 is greater than max value 1" {
		t.Errorf("got %v", errs)
	}
}
