package objects

import (
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ConvertOnto converts obj to the kind of onto, which it was made from, as the server
// does when webhooks were shown another version: into the object that it still has
// (W-202). What the conversion does not set stays. Of all built-in kinds that shows with
// the metrics of a HorizontalPodAutoscaler, which come twice then unless there is one for
// the CPU. A custom resource may say that it is of another kind, and its Scale be a tree.
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
	had, isSame := onto.(*autoscalingv2.HorizontalPodAutoscaler)
	if !isV1 || !isV2 || !isSame || from.Spec.TargetCPUUtilizationPercentage != nil {
		return converted, nil
	}
	to = to.DeepCopy()
	to.Spec.Metrics = slices.Concat(to.Spec.Metrics, had.DeepCopy().Spec.Metrics)
	return to, nil
}
