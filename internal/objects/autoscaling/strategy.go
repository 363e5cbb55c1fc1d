// kubernetes/kubernetes:pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go
// kubernetes/kubernetes:pkg/apis/autoscaling/v2/defaults.go

package autoscaling

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

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
	Normalise: func(h *autoscalingv2.HorizontalPodAutoscaler, _ *kubeversion.Release) {
		dropScalerAnnotations(h.Annotations)
	},
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
