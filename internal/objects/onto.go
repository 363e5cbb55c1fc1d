package objects

import (
	"encoding/json"
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ConvertOnto converts obj back to the kind of onto, from which it was made, as the server does after webhooks and
// policies were shown another version: into the existing object (W-202). Fields that the conversion does not set are
// kept. A custom resource may claim to be of another kind, and its Scale may be unstructured.
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
	switch from := obj.(type) {
	case *autoscalingv1.HorizontalPodAutoscaler:
		return withMetrics(converted, from, onto), nil
	case *certificatesv1.PodCertificateRequest:
		return withKey(converted, onto), nil
	}
	return converted, nil
}

// withMetrics duplicates the metrics of a HorizontalPodAutoscaler unless one of them is for the CPU, which the conversion
// from v1 sets.
func withMetrics(converted runtime.Object, from *autoscalingv1.HorizontalPodAutoscaler, onto runtime.Object) runtime.Object {
	to, isV2 := converted.(*autoscalingv2.HorizontalPodAutoscaler)
	old, isSame := onto.(*autoscalingv2.HorizontalPodAutoscaler)
	if !isV2 || !isSame || from.Spec.TargetCPUUtilizationPercentage != nil {
		return converted
	}
	to = to.DeepCopy()
	to.Spec.Metrics = slices.Concat(to.Spec.Metrics, old.DeepCopy().Spec.Metrics)
	return to
}

// Retained is what a write does not change of the stored object that it replaces.
type Retained struct {
	Spec, Status bool
	// SentInV1 is the body of the request if it is in v1, and alone decides about the rest.
	SentInV1 []byte
}

// Retain puts back into object, which is about to be stored, what the write does not change of old. An autoscaler that was
// written in v1 has its metrics in another order, and averages of 0 if the client sent the annotation of its metrics (CV-04).
func (r Retained) Retain(object, old runtime.Object) {
	to, isV2 := object.(*autoscalingv2.HorizontalPodAutoscaler)
	from, wasV2 := old.(*autoscalingv2.HorizontalPodAutoscaler)
	if !isV2 || !wasV2 {
		return
	}
	if r.Spec {
		to.Spec = from.Spec
	}
	if r.Status {
		to.Status = from.Status
	} else if lacksCurrentMetrics(r.SentInV1) {
		for _, m := range to.Status.CurrentMetrics {
			if m.Resource != nil && m.Resource.Current.AverageValue != nil && m.Resource.Current.AverageValue.IsZero() {
				m.Resource.Current.AverageValue = nil
			}
		}
	}
}

// lacksCurrentMetrics reports whether an autoscaler in v1, as JSON, has no annotation with its current metrics.
func lacksCurrentMetrics(body []byte) bool {
	var sent struct {
		Metadata struct{ Annotations map[string]string }
	}
	if json.Unmarshal(body, &sent) != nil {
		return false
	}
	_, annotated := sent.Metadata.Annotations["autoscaling.alpha.kubernetes.io/current-metrics"]
	return !annotated
}

// withKey keeps the fields for the key of a PodCertificateRequest, which v1 does not have.
func withKey(converted, onto runtime.Object) runtime.Object {
	to, isBeta := converted.(*certificatesv1beta1.PodCertificateRequest)
	old, isSame := onto.(*certificatesv1beta1.PodCertificateRequest)
	if !isBeta || !isSame {
		return converted
	}
	to = to.DeepCopy()
	to.Spec.PKIXPublicKey, to.Spec.ProofOfPossession = slices.Clone(old.Spec.PKIXPublicKey), slices.Clone(old.Spec.ProofOfPossession)
	return to
}
