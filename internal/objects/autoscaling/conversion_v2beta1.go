// kubernetes/kubernetes@v1.24.0:pkg/apis/autoscaling/v2beta1/conversion.go

package autoscaling

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// scalerVersions returns the versions of autoscaling besides v2. The metrics of v2beta1, served up to 1.24, have the form
// that v1 keeps in an annotation (CV-04, CV-05). What v1 keeps in other annotations it has as fields, except for the
// behaviour. v2beta2 has the form of v2, up to 1.17 without defaults.
func scalerVersions() []*rules.Version {
	const kind = "HorizontalPodAutoscaler"
	versions := []*rules.Version{
		rules.VersionOf(autoscalingv1.SchemeGroupVersion.WithKind(kind), autoscalingv2.SchemeGroupVersion.WithKind(kind), defaultScalerV1, scalerToHub, scalerFromHub),
		rules.VersionOf(builtin.AutoscalingV2beta1.WithKind(kind), autoscalingv2.SchemeGroupVersion.WithKind(kind),
			defaultScalerV2beta1, scalerV2beta1ToHub, scalerV2beta1FromHub),
	}
	for _, v := range versions {
		v.Complete, v.CompleteHub = annotateBehaviour, completeScaler
	}
	later := rules.Reshaped(builtin.AutoscalingV2beta2.WithKind(kind), autoscalingv2.SchemeGroupVersion.WithKind(kind))
	later.Defaulted = kubeversion.ScalerDefaultsInV2beta2
	return append(versions, later)
}

func defaultScalerV2beta1(h *builtin.ScalerV2beta1) {
	rules.SetDefault(&h.Spec.MinReplicas, 1)
	if len(h.Spec.Metrics) == 0 {
		percent := int32(80)
		h.Spec.Metrics = []autoscalingv1.MetricSpec{{Type: autoscalingv1.ResourceMetricSourceType, Resource: &autoscalingv1.ResourceMetricSource{
			Name: corev1.ResourceCPU, TargetAverageUtilization: &percent,
		}}}
	}
}

func scalerV2beta1ToHub(in *builtin.ScalerV2beta1) *autoscalingv2.HorizontalPodAutoscaler {
	in = in.DeepCopy()
	out := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: in.ObjectMeta}
	out.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas,
		MaxReplicas:    in.Spec.MaxReplicas,
	}
	for _, m := range in.Spec.Metrics {
		out.Spec.Metrics = append(out.Spec.Metrics, metricToHub(withoutContainer(m)))
	}
	out.Spec.Behavior = annotatedBehaviour(in.Annotations)
	out.Status = autoscalingv2.HorizontalPodAutoscalerStatus{
		ObservedGeneration: in.Status.ObservedGeneration,
		LastScaleTime:      in.Status.LastScaleTime,
		CurrentReplicas:    in.Status.CurrentReplicas,
		DesiredReplicas:    in.Status.DesiredReplicas,
	}
	for _, m := range in.Status.CurrentMetrics {
		out.Status.CurrentMetrics = append(out.Status.CurrentMetrics, metricStatusToHub(m))
	}
	for _, c := range in.Status.Conditions {
		out.Status.Conditions = append(out.Status.Conditions, autoscalingv2.HorizontalPodAutoscalerCondition{
			Type: autoscalingv2.HorizontalPodAutoscalerConditionType(c.Type), Status: c.Status,
			LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message,
		})
	}
	dropScalerAnnotations(&out.ObjectMeta)
	return out
}

// withoutContainer returns a metric of containers without the name of the container, which the server's conversion forgets
// in both directions. It changes what m points to.
func withoutContainer(m autoscalingv1.MetricSpec) autoscalingv1.MetricSpec {
	if m.ContainerResource != nil {
		m.ContainerResource.Container = ""
	}
	return m
}

func scalerV2beta1FromHub(in *autoscalingv2.HorizontalPodAutoscaler) *builtin.ScalerV2beta1 {
	in = in.DeepCopy()
	out := &builtin.ScalerV2beta1{ObjectMeta: in.ObjectMeta}
	dropScalerAnnotations(&out.ObjectMeta)
	out.Spec = builtin.ScalerSpecV2beta1{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas,
		MaxReplicas:    in.Spec.MaxReplicas,
	}
	for _, m := range in.Spec.Metrics {
		out.Spec.Metrics = append(out.Spec.Metrics, withoutContainer(metricFromHub(m)))
	}
	out.Status = builtin.ScalerStatusV2beta1{
		ObservedGeneration: in.Status.ObservedGeneration,
		LastScaleTime:      in.Status.LastScaleTime,
		CurrentReplicas:    in.Status.CurrentReplicas,
		DesiredReplicas:    in.Status.DesiredReplicas,
	}
	for _, m := range in.Status.CurrentMetrics {
		out.Status.CurrentMetrics = append(out.Status.CurrentMetrics, metricStatusFromHub(m))
	}
	for _, c := range in.Status.Conditions {
		out.Status.Conditions = append(out.Status.Conditions, autoscalingv1.HorizontalPodAutoscalerCondition{
			Type: autoscalingv1.HorizontalPodAutoscalerConditionType(c.Type), Status: c.Status,
			LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message,
		})
	}
	return out
}
