package builtin

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A ScalerV2beta1 is a HorizontalPodAutoscaler of autoscaling/v2beta1. Its metrics have the form that autoscaling/v1
// keeps in annotations.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ScalerV2beta1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ScalerSpecV2beta1   `json:"spec,omitempty"`
	Status            ScalerStatusV2beta1 `json:"status,omitempty"`
}

// A ScalerListV2beta1 is a list of ScalerV2beta1 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ScalerListV2beta1 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ScalerV2beta1 `json:"items"`
}

// A ScalerSpecV2beta1 says what to scale, and by which metrics.
type ScalerSpecV2beta1 struct {
	ScaleTargetRef autoscalingv1.CrossVersionObjectReference `json:"scaleTargetRef"`
	MinReplicas    *int32                                    `json:"minReplicas,omitempty"`
	MaxReplicas    int32                                     `json:"maxReplicas"`
	Metrics        []autoscalingv1.MetricSpec                `json:"metrics,omitempty"`
}

// A ScalerStatusV2beta1 holds the last measurements.
type ScalerStatusV2beta1 struct {
	ObservedGeneration *int64                                           `json:"observedGeneration,omitempty"`
	LastScaleTime      *metav1.Time                                     `json:"lastScaleTime,omitempty"`
	CurrentReplicas    int32                                            `json:"currentReplicas"`
	DesiredReplicas    int32                                            `json:"desiredReplicas"`
	CurrentMetrics     []autoscalingv1.MetricStatus                     `json:"currentMetrics"`
	Conditions         []autoscalingv1.HorizontalPodAutoscalerCondition `json:"conditions"`
}

// A ScalerV2beta2 is a HorizontalPodAutoscaler of autoscaling/v2beta2, which became v2 without changes.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ScalerV2beta2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              autoscalingv2.HorizontalPodAutoscalerSpec `json:"spec,omitempty"`
	Status            ScalerStatusV2beta2                       `json:"status,omitempty"`
}

// A ScalerStatusV2beta2 is the status of v2, but conditions are written even if there are none.
type ScalerStatusV2beta2 struct {
	ObservedGeneration *int64                                           `json:"observedGeneration,omitempty"`
	LastScaleTime      *metav1.Time                                     `json:"lastScaleTime,omitempty"`
	CurrentReplicas    int32                                            `json:"currentReplicas"`
	DesiredReplicas    int32                                            `json:"desiredReplicas"`
	CurrentMetrics     []autoscalingv2.MetricStatus                     `json:"currentMetrics"`
	Conditions         []autoscalingv2.HorizontalPodAutoscalerCondition `json:"conditions"`
}

// A ScalerListV2beta2 is a list of ScalerV2beta2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ScalerListV2beta2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ScalerV2beta2 `json:"items"`
}
