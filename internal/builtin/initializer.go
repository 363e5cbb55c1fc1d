package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// An InitializerConfiguration says which controllers must have processed a new object before others may see it. It is
// not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type InitializerConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Initializers      []ConfiguredInitializer `json:"initializers,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=initializers"`
}

// An InitializerConfigurationList is a list of InitializerConfigurations.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type InitializerConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []InitializerConfiguration `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ConfiguredInitializer is a controller with the resources that it processes.
type ConfiguredInitializer struct {
	Name  string            `json:"name" protobuf:"bytes,1,opt,name=name"`
	Rules []InitializerRule `json:"rules,omitempty" protobuf:"bytes,2,rep,name=rules"`
}

// An InitializerRule selects resources.
type InitializerRule struct {
	APIGroups   []string `json:"apiGroups,omitempty" protobuf:"bytes,1,rep,name=apiGroups"`
	APIVersions []string `json:"apiVersions,omitempty" protobuf:"bytes,2,rep,name=apiVersions"`
	Resources   []string `json:"resources,omitempty" protobuf:"bytes,3,rep,name=resources"`
}
