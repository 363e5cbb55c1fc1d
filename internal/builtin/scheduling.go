package builtin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A PriorityClass is one of scheduling.k8s.io/v1alpha1 (up to 1.22), which has the fields of
// those that came after it.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PriorityClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Value             int32                    `json:"value"`
	GlobalDefault     bool                     `json:"globalDefault,omitempty"`
	Description       string                   `json:"description,omitempty"`
	PreemptionPolicy  *corev1.PreemptionPolicy `json:"preemptionPolicy,omitempty"`
}

// A PriorityClassList is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PriorityClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PriorityClass `json:"items"`
}

// A Workload is one of scheduling.k8s.io/v1alpha1 (1.35): pods that are scheduled together,
// which v1alpha2 has templates of.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WorkloadSpec `json:"spec"`
}

// A WorkloadList is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Workload `json:"items"`
}

// A WorkloadSpec is groups of pods, and who made them.
type WorkloadSpec struct {
	ControllerRef *WorkloadController `json:"controllerRef,omitempty"`
	PodGroups     []WorkloadPodGroup  `json:"podGroups"`
}

// A WorkloadController is an object in the workload's namespace.
type WorkloadController struct {
	APIGroup string `json:"apiGroup,omitempty"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// A WorkloadPodGroup is one group, and how it is scheduled.
type WorkloadPodGroup struct {
	Name   string                 `json:"name"`
	Policy WorkloadPodGroupPolicy `json:"policy"`
}

// A WorkloadPodGroupPolicy is one of: pod by pod, or so many at once.
type WorkloadPodGroupPolicy struct {
	Basic *WorkloadBasicPolicy `json:"basic,omitempty"`
	Gang  *WorkloadGangPolicy  `json:"gang,omitempty"`
}

// A WorkloadBasicPolicy says nothing more.
type WorkloadBasicPolicy struct{}

// A WorkloadGangPolicy is how many pods there have to be.
type WorkloadGangPolicy struct {
	MinCount int32 `json:"minCount"`
}
