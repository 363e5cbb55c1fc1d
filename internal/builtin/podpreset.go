package builtin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A PodPreset is added to pods with certain labels.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodPreset struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              PodPresetSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// A PodPresetList is a list of PodPresets.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodPresetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodPreset `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A PodPresetSpec says which pods get what.
type PodPresetSpec struct {
	Selector     metav1.LabelSelector   `json:"selector,omitempty" protobuf:"bytes,1,opt,name=selector"`
	Env          []corev1.EnvVar        `json:"env,omitempty" protobuf:"bytes,2,rep,name=env"`
	EnvFrom      []corev1.EnvFromSource `json:"envFrom,omitempty" protobuf:"bytes,3,rep,name=envFrom"`
	Volumes      []corev1.Volume        `json:"volumes,omitempty" protobuf:"bytes,4,rep,name=volumes"`
	VolumeMounts []corev1.VolumeMount   `json:"volumeMounts,omitempty" protobuf:"bytes,5,rep,name=volumeMounts"`
}
