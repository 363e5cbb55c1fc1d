package builtin

import (
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FlowSchema is the FlowSchema of flowcontrol.apiserver.k8s.io/v1alpha1 (1.17 to 1.20), which became v1beta1 without
// changes.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type FlowSchema struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              flowcontrolv1beta1.FlowSchemaSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status            flowcontrolv1beta1.FlowSchemaStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A FlowSchemaList is a list of FlowSchemas.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type FlowSchemaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []FlowSchema `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// PriorityLevelConfiguration is the PriorityLevelConfiguration of flowcontrol.apiserver.k8s.io/v1alpha1.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PriorityLevelConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              flowcontrolv1beta1.PriorityLevelConfigurationSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status            flowcontrolv1beta1.PriorityLevelConfigurationStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A PriorityLevelConfigurationList is a list of PriorityLevelConfigurations.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PriorityLevelConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PriorityLevelConfiguration `json:"items" protobuf:"bytes,2,rep,name=items"`
}
