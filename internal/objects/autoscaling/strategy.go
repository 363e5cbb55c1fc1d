// kubernetes/kubernetes:pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go
// kubernetes/kubernetes:pkg/apis/autoscaling/v2/defaults.go

package autoscaling

import (
	"maps"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var horizontalPodAutoscaler = rules.Of[*autoscalingv2.HorizontalPodAutoscaler]{
	Name:    rules.DNSSubdomain,
	Spec:    func(h *autoscalingv2.HorizontalPodAutoscaler) any { return &h.Spec },
	Counted: kubeversion.AutoscalerGenerations,
	Status:  func(h *autoscalingv2.HorizontalPodAutoscaler) any { return &h.Status },

	Validate:       validateScaler,
	ValidateUpdate: validateScalerUpdate,
	OnUpdate:       rules.CheckChange,

	Defaults: func(h *autoscalingv2.HorizontalPodAutoscaler) {
		rules.SetDefault(&h.Spec.MinReplicas, 1)
		if len(h.Spec.Metrics) == 0 {
			h.Spec.Metrics = []autoscalingv2.MetricSpec{cpuUtilization(80)}
		}
		defaultScaling(h.Spec.Behavior)
	},
	Normalise: func(h *autoscalingv2.HorizontalPodAutoscaler, r *kubeversion.Release) {
		before := maps.Clone(h.Annotations)
		dropScalerAnnotations(&h.ObjectMeta)
		h.Annotations = keepsBehaviour(h.Annotations, before, r)
	},
	DropGated: dropGatedScaling,
}

// dropGatedScaling drops what autoscaling/v1 has in annotations, while its gate is off and the old object does not use it.
func dropGatedScaling(obj, old runtime.Object, r rules.Request) {
	h := obj.(*autoscalingv2.HorizontalPodAutoscaler)
	before, _ := old.(*autoscalingv2.HorizontalPodAutoscaler)
	if r.Release.Disabled("HPAContainerMetrics") && (before == nil || !slices.ContainsFunc(before.Spec.Metrics, ofContainers)) {
		if slices.ContainsFunc(h.Spec.Metrics, ofContainers) {
			r.Drops("spec.metrics[].containerResource", "HPAContainerMetrics")
		}
		h.Spec.Metrics = slices.Clone(h.Spec.Metrics)
		for i := range h.Spec.Metrics {
			h.Spec.Metrics[i].ContainerResource = nil
		}
	}
	if b := h.Spec.Behavior; b != nil && !r.Release.Enabled("HPAConfigurableTolerance") && (before == nil || !hasTolerance(before.Spec.Behavior)) {
		if hasTolerance(b) {
			r.Drops("spec.behavior.*.tolerance", "HPAConfigurableTolerance")
		}
		h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: withoutTolerance(b.ScaleUp), ScaleDown: withoutTolerance(b.ScaleDown)}
	}
}

func ofContainers(m autoscalingv2.MetricSpec) bool { return m.ContainerResource != nil }

func hasTolerance(b *autoscalingv2.HorizontalPodAutoscalerBehavior) bool {
	return b != nil && (b.ScaleUp != nil && b.ScaleUp.Tolerance != nil || b.ScaleDown != nil && b.ScaleDown.Tolerance != nil)
}

func withoutTolerance(s *autoscalingv2.HPAScalingRules) *autoscalingv2.HPAScalingRules {
	if s == nil || s.Tolerance == nil {
		return s
	}
	s = s.DeepCopy()
	s.Tolerance = nil
	return s
}

func cpuUtilization(percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name:   corev1.ResourceCPU,
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
	}}
}

// defaultScaling sets the default scaling rules: up by four pods or by 100 percent, whichever is more; down at once to
// the required number. Values that are set are kept.
func defaultScaling(b *autoscalingv2.HorizontalPodAutoscalerBehavior) {
	if b == nil {
		return
	}
	rules.SetDefault(&b.ScaleUp, autoscalingv2.HPAScalingRules{})
	rules.SetDefault(&b.ScaleUp.StabilizationWindowSeconds, 0)
	rules.SetDefault(&b.ScaleUp.SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	if b.ScaleUp.Policies == nil {
		b.ScaleUp.Policies = []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15},
			{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15},
		}
	}
	rules.SetDefault(&b.ScaleDown, autoscalingv2.HPAScalingRules{})
	rules.SetDefault(&b.ScaleDown.SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	if b.ScaleDown.Policies == nil {
		b.ScaleDown.Policies = []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15},
		}
	}
}
