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
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ScalerSpecV2beta1   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status            ScalerStatusV2beta1 `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A ScalerListV2beta1 is a list of ScalerV2beta1 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ScalerListV2beta1 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ScalerV2beta1 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ScalerSpecV2beta1 says what to scale, and by which metrics.
type ScalerSpecV2beta1 struct {
	ScaleTargetRef autoscalingv1.CrossVersionObjectReference `json:"scaleTargetRef" protobuf:"bytes,1,opt,name=scaleTargetRef"`
	MinReplicas    *int32                                    `json:"minReplicas,omitempty" protobuf:"varint,2,opt,name=minReplicas"`
	MaxReplicas    int32                                     `json:"maxReplicas" protobuf:"varint,3,opt,name=maxReplicas"`
	Metrics        []autoscalingv1.MetricSpec                `json:"metrics,omitempty" protobuf:"bytes,4,rep,name=metrics"`
}

// A ScalerStatusV2beta1 holds the last measurements.
type ScalerStatusV2beta1 struct {
	ObservedGeneration *int64                                           `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	LastScaleTime      *metav1.Time                                     `json:"lastScaleTime,omitempty" protobuf:"bytes,2,opt,name=lastScaleTime"`
	CurrentReplicas    int32                                            `json:"currentReplicas" protobuf:"varint,3,opt,name=currentReplicas"`
	DesiredReplicas    int32                                            `json:"desiredReplicas" protobuf:"varint,4,opt,name=desiredReplicas"`
	CurrentMetrics     []autoscalingv1.MetricStatus                     `json:"currentMetrics" protobuf:"bytes,5,rep,name=currentMetrics"`
	Conditions         []autoscalingv1.HorizontalPodAutoscalerCondition `json:"conditions" protobuf:"bytes,6,rep,name=conditions"`
}

// A ScalerV2beta2 is a HorizontalPodAutoscaler of autoscaling/v2beta2, which became v2 without changes.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ScalerV2beta2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              autoscalingv2.HorizontalPodAutoscalerSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status            ScalerStatusV2beta2                       `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A ScalerStatusV2beta2 is the status of v2, but conditions are written even if there are none.
type ScalerStatusV2beta2 struct {
	ObservedGeneration *int64                                           `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	LastScaleTime      *metav1.Time                                     `json:"lastScaleTime,omitempty" protobuf:"bytes,2,opt,name=lastScaleTime"`
	CurrentReplicas    int32                                            `json:"currentReplicas" protobuf:"varint,3,opt,name=currentReplicas"`
	DesiredReplicas    int32                                            `json:"desiredReplicas" protobuf:"varint,4,opt,name=desiredReplicas"`
	CurrentMetrics     []autoscalingv2.MetricStatus                     `json:"currentMetrics" protobuf:"bytes,5,rep,name=currentMetrics"`
	Conditions         []autoscalingv2.HorizontalPodAutoscalerCondition `json:"conditions" protobuf:"bytes,6,rep,name=conditions"`
}

// A ScalerListV2beta2 is a list of ScalerV2beta2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ScalerListV2beta2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ScalerV2beta2 `json:"items" protobuf:"bytes,2,rep,name=items"`
}
