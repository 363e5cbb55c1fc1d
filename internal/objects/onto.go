package objects

import (
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ConvertOnto converts obj back to the kind of onto, from which it was made, as the server does after webhooks were
// shown another version: into the existing object (W-202). Fields that the conversion does not set are kept. Among
// built-in kinds this only shows in the metrics of a HorizontalPodAutoscaler, which are then duplicated unless one is
// for the CPU. A custom resource may claim to be of another kind, and its Scale may be unstructured.
func (t *Types) ConvertOnto(obj, onto runtime.Object, kind schema.GroupVersionKind) (runtime.Object, error) {
	if tree, ok := obj.(*unstructured.Unstructured); ok {
		if _, ok := onto.(*autoscalingv1.Scale); ok {
			return scaleOf(tree)
		}
	}
	converted, err := t.Convert(obj, kind)
	if err != nil {
		return nil, err
	}
	converted = t.Normalise(converted)
	from, isV1 := obj.(*autoscalingv1.HorizontalPodAutoscaler)
	to, isV2 := converted.(*autoscalingv2.HorizontalPodAutoscaler)
	old, isSame := onto.(*autoscalingv2.HorizontalPodAutoscaler)
	if !isV1 || !isV2 || !isSame || from.Spec.TargetCPUUtilizationPercentage != nil {
		return converted, nil
	}
	to = to.DeepCopy()
	to.Spec.Metrics = slices.Concat(to.Spec.Metrics, old.DeepCopy().Spec.Metrics)
	return to, nil
}
