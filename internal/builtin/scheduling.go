package builtin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PriorityClass is the PriorityClass of scheduling.k8s.io/v1alpha1 (up to 1.22), which has the same fields as the later
// versions.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PriorityClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Value             int32                    `json:"value" protobuf:"bytes,2,opt,name=value"`
	GlobalDefault     bool                     `json:"globalDefault,omitempty" protobuf:"bytes,3,opt,name=globalDefault"`
	Description       string                   `json:"description,omitempty" protobuf:"bytes,4,opt,name=description"`
	PreemptionPolicy  *corev1.PreemptionPolicy `json:"preemptionPolicy,omitempty" protobuf:"bytes,5,opt,name=preemptionPolicy"`
}

// A PriorityClassList is a list of PriorityClasses.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PriorityClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PriorityClass `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// Workload is the Workload of scheduling.k8s.io/v1alpha1 (1.35): pods that are scheduled together. In v1alpha2 it has
// templates for groups of pods instead.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              WorkloadSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
}

// A WorkloadList is a list of Workloads.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []Workload `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A WorkloadSpec has the groups of pods, and says who created them.
type WorkloadSpec struct {
	ControllerRef *WorkloadController `json:"controllerRef,omitempty" protobuf:"bytes,1,opt,name=controllerRef"`
	PodGroups     []WorkloadPodGroup  `json:"podGroups" protobuf:"bytes,2,rep,name=podGroups"`
}

// A WorkloadController refers to an object in the workload's namespace.
type WorkloadController struct {
	APIGroup string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt,name=apiGroup"`
	Kind     string `json:"kind" protobuf:"bytes,2,opt,name=kind"`
	Name     string `json:"name" protobuf:"bytes,3,opt,name=name"`
}

// A WorkloadPodGroup is one group with its scheduling policy.
type WorkloadPodGroup struct {
	Name   string                 `json:"name" protobuf:"bytes,1,opt,name=name"`
	Policy WorkloadPodGroupPolicy `json:"policy" protobuf:"bytes,3,opt,name=policy"`
}

// A WorkloadPodGroupPolicy has exactly one of its fields: pods are scheduled one by one, or a minimum number at once.
type WorkloadPodGroupPolicy struct {
	Basic *WorkloadBasicPolicy `json:"basic,omitempty" protobuf:"bytes,2,opt,name=basic"`
	Gang  *WorkloadGangPolicy  `json:"gang,omitempty" protobuf:"bytes,3,opt,name=gang"`
}

// A WorkloadBasicPolicy has no settings.
type WorkloadBasicPolicy struct{}

// A WorkloadGangPolicy says how many pods are required.
type WorkloadGangPolicy struct {
	MinCount int32 `json:"minCount" protobuf:"varint,1,opt,name=minCount"`
}
