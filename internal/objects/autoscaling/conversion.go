// kubernetes/kubernetes:pkg/apis/autoscaling/v1/conversion.go
// kubernetes/kubernetes:pkg/apis/autoscaling/v1/defaults.go

package autoscaling

import (
	"encoding/json"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// autoscaling/v1 has one metric, the utilization of cpu; all others are JSON in annotations (CV-04).
const (
	metricsAnnotation        = "autoscaling.alpha.kubernetes.io/metrics"
	currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics"
	conditionsAnnotation     = "autoscaling.alpha.kubernetes.io/conditions"
	behaviourAnnotation      = "autoscaling.alpha.kubernetes.io/behavior"
	toleranceDownAnnotation  = "autoscaling.alpha.kubernetes.io/scale-down-tolerance"
	toleranceUpAnnotation    = "autoscaling.alpha.kubernetes.io/scale-up-tolerance"
)

// keepsBehaviour returns the annotations of an object with that of its behaviour, if the release does not know it.
func keepsBehaviour(annotations, before map[string]string, r *kubeversion.Release) map[string]string {
	if text, ok := before[behaviourAnnotation]; ok && !r.Has(kubeversion.ScalerBehaviours) {
		return rules.With(annotations, behaviourAnnotation, text)
	}
	return annotations
}

// dropScalerAnnotations removes the annotations that are fields in another version.
func dropScalerAnnotations(m *metav1.ObjectMeta) {
	m.Annotations = rules.Without(m.Annotations,
		metricsAnnotation, currentMetricsAnnotation, conditionsAnnotation, behaviourAnnotation, toleranceDownAnnotation, toleranceUpAnnotation)
}

func defaultScalerV1(h *autoscalingv1.HorizontalPodAutoscaler) {
	rules.SetDefault(&h.Spec.MinReplicas, 1)
	if h.Spec.TargetCPUUtilizationPercentage == nil && len(annotatedMetrics(h.Annotations)) == 0 {
		rules.SetDefault(&h.Spec.TargetCPUUtilizationPercentage, 80)
	}
}

func annotatedMetrics(annotations map[string]string) []autoscalingv1.MetricSpec {
	var metrics []autoscalingv1.MetricSpec
	readAnnotation(annotations, metricsAnnotation, &metrics)
	return metrics
}

func annotatedBehaviour(annotations map[string]string) *autoscalingv2.HorizontalPodAutoscalerBehavior {
	behaviour := &autoscalingv2.HorizontalPodAutoscalerBehavior{}
	if !readAnnotation(annotations, behaviourAnnotation, behaviour) || *behaviour == (autoscalingv2.HorizontalPodAutoscalerBehavior{}) {
		return nil
	}
	return behaviour
}

// The behaviour in an annotation has the field names of the server's internal type, which are those in Go:
// kubernetes/kubernetes:pkg/apis/autoscaling/types.go. They are read case-insensitively.
type (
	internalBehaviourSpec struct{ ScaleUp, ScaleDown *internalScalingRules }
	internalScalingRules  struct {
		StabilizationWindowSeconds *int32
		SelectPolicy               *autoscalingv2.ScalingPolicySelect
		Policies                   []internalScalingPolicy
		Tolerance                  json.RawMessage `json:",omitzero"` // null if there is none; missing in old releases
	}
	internalScalingPolicy struct {
		Type          autoscalingv2.HPAScalingPolicyType
		Value         int32
		PeriodSeconds int32
	}
)

// annotateBehaviour adds the behaviour of the hub to an object of an older version as an annotation.
func annotateBehaviour(obj, hub runtime.Object, r *kubeversion.Release) {
	h := hub.(*autoscalingv2.HorizontalPodAutoscaler)
	m, ok := obj.(metav1.Object)
	if !ok {
		return
	}
	m.SetAnnotations(keepsBehaviour(m.GetAnnotations(), h.Annotations, r))
	if behaviour := h.Spec.Behavior; behaviour != nil {
		m.SetAnnotations(writeAnnotation(m.GetAnnotations(), behaviourAnnotation, internalBehaviour(behaviour, r)))
	}
}

func internalBehaviour(b *autoscalingv2.HorizontalPodAutoscalerBehavior, r *kubeversion.Release) internalBehaviourSpec {
	return internalBehaviourSpec{ScaleUp: internalRules(b.ScaleUp, r), ScaleDown: internalRules(b.ScaleDown, r)}
}

func internalRules(s *autoscalingv2.HPAScalingRules, r *kubeversion.Release) *internalScalingRules {
	if s == nil {
		return nil
	}
	internal := &internalScalingRules{StabilizationWindowSeconds: s.StabilizationWindowSeconds, SelectPolicy: s.SelectPolicy}
	if r.Has(kubeversion.ScalingTolerances) {
		internal.Tolerance = asJSON(s.Tolerance)
	}
	for _, p := range s.Policies {
		internal.Policies = append(internal.Policies, internalScalingPolicy(p))
	}
	return internal
}

// completeScaler removes what a release does not read from the annotations of an object of an older version (CV-04):
// behaviours, metrics of containers and generations of conditions before there were any, and since
// [kubeversion.ScalerTargetsOmitted] a target of 0 beside an average.
func completeScaler(hub, obj runtime.Object, r *kubeversion.Release) {
	h := hub.(*autoscalingv2.HorizontalPodAutoscaler)
	if m, ok := obj.(metav1.Object); ok && !r.Has(kubeversion.ScalerBehaviours) {
		h.Annotations, h.Spec.Behavior = keepsBehaviour(h.Annotations, m.GetAnnotations(), r), nil
	}
	if !r.Has(kubeversion.ContainerMetrics) {
		for i := range h.Spec.Metrics {
			h.Spec.Metrics[i].ContainerResource = nil
		}
	}
	if !r.Has(kubeversion.ScalerConditionsObserved) {
		for i := range h.Status.Conditions {
			h.Status.Conditions[i].ObservedGeneration = nil
		}
	}
	if !r.Has(kubeversion.ScalerTargetsOmitted) {
		return
	}
	for _, m := range h.Spec.Metrics {
		if m.Object != nil && m.Object.Target.AverageValue != nil && m.Object.Target.Value.IsZero() {
			m.Object.Target.Value = nil
		}
	}
}

// readAnnotation reads JSON from an annotation. Invalid JSON is ignored.
func readAnnotation(annotations map[string]string, key string, into any) bool {
	value, ok := annotations[key]
	return ok && json.Unmarshal([]byte(value), into) == nil
}

func writeAnnotation(annotations map[string]string, key string, value any) map[string]string {
	return rules.With(annotations, key, string(asJSON(value)))
}

// asJSON returns the JSON of a value of an API type. Marshaling these does not fail.
func asJSON(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		panic("objects: " + err.Error())
	}
	return data
}

func scalerToHub(in *autoscalingv1.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	in = in.DeepCopy()
	out := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: in.ObjectMeta}
	out.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas,
		MaxReplicas:    in.Spec.MaxReplicas,
	}
	for _, m := range annotatedMetrics(in.Annotations) {
		out.Spec.Metrics = append(out.Spec.Metrics, metricToHub(m))
	}
	if cpu := in.Spec.TargetCPUUtilizationPercentage; cpu != nil {
		out.Spec.Metrics = append(out.Spec.Metrics, cpuUtilization(*cpu))
	}
	out.Spec.Behavior = annotatedBehaviour(in.Annotations)
	out.Status = scalerStatusToHub(in)
	dropScalerAnnotations(&out.ObjectMeta)
	return out
}

func scalerStatusToHub(in *autoscalingv1.HorizontalPodAutoscaler) autoscalingv2.HorizontalPodAutoscalerStatus {
	out := autoscalingv2.HorizontalPodAutoscalerStatus{
		ObservedGeneration: in.Status.ObservedGeneration,
		LastScaleTime:      in.Status.LastScaleTime,
		CurrentReplicas:    in.Status.CurrentReplicas,
		DesiredReplicas:    in.Status.DesiredReplicas,
	}
	if cpu := in.Status.CurrentCPUUtilizationPercentage; cpu != nil {
		out.CurrentMetrics = []autoscalingv2.MetricStatus{{
			Type:     autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricStatus{Name: corev1.ResourceCPU, Current: autoscalingv2.MetricValueStatus{AverageUtilization: cpu}},
		}}
	}
	var metrics []autoscalingv1.MetricStatus
	if readAnnotation(in.Annotations, currentMetricsAnnotation, &metrics) {
		out.CurrentMetrics = make([]autoscalingv2.MetricStatus, 0, len(metrics))
		for _, m := range metrics {
			out.CurrentMetrics = append(out.CurrentMetrics, metricStatusToHub(m))
		}
	}
	var conditions []autoscalingv2.HorizontalPodAutoscalerCondition
	if readAnnotation(in.Annotations, conditionsAnnotation, &conditions) {
		out.Conditions = conditions
	}
	return out
}

func scalerFromHub(in *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv1.HorizontalPodAutoscaler {
	in = in.DeepCopy()
	out := &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: in.ObjectMeta}
	dropScalerAnnotations(&out.ObjectMeta)
	out.Spec = autoscalingv1.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas,
		MaxReplicas:    in.Spec.MaxReplicas,
	}
	var others []autoscalingv1.MetricSpec
	for _, m := range in.Spec.Metrics {
		if !isCPUUtilization(m) {
			others = append(others, metricFromHub(m))
			continue
		}
		if out.Spec.TargetCPUUtilizationPercentage == nil {
			out.Spec.TargetCPUUtilizationPercentage = m.Resource.Target.AverageUtilization
		}
	}
	if len(others) > 0 {
		out.Annotations = writeAnnotation(out.Annotations, metricsAnnotation, others)
	}
	scalerStatusFromHub(out, in.Status)
	return out
}

func isCPUUtilization(m autoscalingv2.MetricSpec) bool {
	return m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil &&
		m.Resource.Name == corev1.ResourceCPU && m.Resource.Target.AverageUtilization != nil
}

func scalerStatusFromHub(out *autoscalingv1.HorizontalPodAutoscaler, in autoscalingv2.HorizontalPodAutoscalerStatus) {
	out.Status = autoscalingv1.HorizontalPodAutoscalerStatus{
		ObservedGeneration: in.ObservedGeneration,
		LastScaleTime:      in.LastScaleTime,
		CurrentReplicas:    in.CurrentReplicas,
		DesiredReplicas:    in.DesiredReplicas,
	}
	var metrics []autoscalingv1.MetricStatus
	for _, m := range in.CurrentMetrics {
		metrics = append(metrics, metricStatusFromHub(m))
		if m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil && m.Resource.Name == corev1.ResourceCPU && m.Resource.Current.AverageUtilization != nil {
			out.Status.CurrentCPUUtilizationPercentage = m.Resource.Current.AverageUtilization
		}
	}
	if len(metrics) > 0 {
		out.Annotations = writeAnnotation(out.Annotations, currentMetricsAnnotation, metrics)
	}
	if len(in.Conditions) > 0 {
		out.Annotations = writeAnnotation(out.Annotations, conditionsAnnotation, in.Conditions)
	}
}

func value(q resource.Quantity) *resource.Quantity { return &q }

func orZero(q *resource.Quantity) resource.Quantity {
	if q == nil {
		return resource.Quantity{}
	}
	return *q
}

func targetOf(v, average *resource.Quantity, utilization *int32) autoscalingv2.MetricTarget {
	t := autoscalingv2.MetricTarget{Value: v, AverageValue: average, AverageUtilization: utilization}
	switch {
	case utilization != nil:
		t.Type = autoscalingv2.UtilizationMetricType
	case average != nil:
		t.Type = autoscalingv2.AverageValueMetricType
	default:
		t.Type = autoscalingv2.ValueMetricType
	}
	return t
}

func metricID(name string, selector *metav1.LabelSelector) autoscalingv2.MetricIdentifier {
	return autoscalingv2.MetricIdentifier{Name: name, Selector: selector}
}

func metricToHub(in autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	out := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(in.Type)}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv2.ObjectMetricSource{
			DescribedObject: autoscalingv2.CrossVersionObjectReference(m.Target),
			Target:          targetOf(value(m.TargetValue), m.AverageValue, nil), Metric: metricID(m.MetricName, m.Selector),
		}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv2.PodsMetricSource{Metric: metricID(m.MetricName, m.Selector), Target: targetOf(nil, value(m.TargetAverageValue), nil)}
	}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv2.ResourceMetricSource{Name: m.Name, Target: targetOf(nil, m.TargetAverageValue, m.TargetAverageUtilization)}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{
			Name: m.Name, Container: m.Container, Target: targetOf(nil, m.TargetAverageValue, m.TargetAverageUtilization),
		}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv2.ExternalMetricSource{Metric: metricID(m.MetricName, m.MetricSelector), Target: targetOf(m.TargetValue, m.TargetAverageValue, nil)}
		if m.TargetValue != nil {
			out.External.Target.Type = autoscalingv2.ValueMetricType // also if there is an average
		}
	}
	return out
}

func metricFromHub(in autoscalingv2.MetricSpec) autoscalingv1.MetricSpec {
	out := autoscalingv1.MetricSpec{Type: autoscalingv1.MetricSourceType(in.Type)}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv1.ObjectMetricSource{
			Target: autoscalingv1.CrossVersionObjectReference(m.DescribedObject), MetricName: m.Metric.Name, Selector: m.Metric.Selector,
			TargetValue: orZero(m.Target.Value), AverageValue: m.Target.AverageValue,
		}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv1.PodsMetricSource{MetricName: m.Metric.Name, Selector: m.Metric.Selector, TargetAverageValue: orZero(m.Target.AverageValue)}
	}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv1.ResourceMetricSource{Name: m.Name, TargetAverageUtilization: m.Target.AverageUtilization, TargetAverageValue: m.Target.AverageValue}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricSource{
			Name: m.Name, Container: m.Container, TargetAverageUtilization: m.Target.AverageUtilization, TargetAverageValue: m.Target.AverageValue,
		}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv1.ExternalMetricSource{
			MetricName: m.Metric.Name, MetricSelector: m.Metric.Selector, TargetValue: m.Target.Value, TargetAverageValue: m.Target.AverageValue,
		}
	}
	return out
}

func metricStatusToHub(in autoscalingv1.MetricStatus) autoscalingv2.MetricStatus {
	out := autoscalingv2.MetricStatus{Type: autoscalingv2.MetricSourceType(in.Type)}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv2.ObjectMetricStatus{
			DescribedObject: autoscalingv2.CrossVersionObjectReference(m.Target), Metric: metricID(m.MetricName, m.Selector),
			Current: autoscalingv2.MetricValueStatus{Value: value(m.CurrentValue), AverageValue: m.AverageValue},
		}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv2.PodsMetricStatus{Metric: metricID(m.MetricName, m.Selector), Current: autoscalingv2.MetricValueStatus{AverageValue: value(m.CurrentAverageValue)}}
	}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv2.ResourceMetricStatus{
			Name: m.Name, Current: autoscalingv2.MetricValueStatus{AverageValue: value(m.CurrentAverageValue), AverageUtilization: m.CurrentAverageUtilization},
		}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricStatus{
			Name: m.Name, Container: m.Container,
			Current: autoscalingv2.MetricValueStatus{AverageValue: value(m.CurrentAverageValue), AverageUtilization: m.CurrentAverageUtilization},
		}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv2.ExternalMetricStatus{
			Metric: metricID(m.MetricName, m.MetricSelector), Current: autoscalingv2.MetricValueStatus{Value: value(m.CurrentValue), AverageValue: m.CurrentAverageValue},
		}
	}
	return out
}

func metricStatusFromHub(in autoscalingv2.MetricStatus) autoscalingv1.MetricStatus {
	out := autoscalingv1.MetricStatus{Type: autoscalingv1.MetricSourceType(in.Type)}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv1.ObjectMetricStatus{
			Target: autoscalingv1.CrossVersionObjectReference(m.DescribedObject), MetricName: m.Metric.Name, Selector: m.Metric.Selector,
			CurrentValue: orZero(m.Current.Value), AverageValue: m.Current.AverageValue,
		}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv1.PodsMetricStatus{MetricName: m.Metric.Name, Selector: m.Metric.Selector, CurrentAverageValue: orZero(m.Current.AverageValue)}
	}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv1.ResourceMetricStatus{
			Name: m.Name, CurrentAverageUtilization: m.Current.AverageUtilization, CurrentAverageValue: orZero(m.Current.AverageValue),
		}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricStatus{
			Name: m.Name, Container: m.Container,
			CurrentAverageUtilization: m.Current.AverageUtilization, CurrentAverageValue: orZero(m.Current.AverageValue),
		}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv1.ExternalMetricStatus{
			MetricName: m.Metric.Name, MetricSelector: m.Metric.Selector, CurrentValue: orZero(m.Current.Value), CurrentAverageValue: m.Current.AverageValue,
		}
	}
	return out
}
