package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// An InitializerConfiguration says which controllers must have processed a new object before others may see it. It is
// not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type InitializerConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Initializers      []ConfiguredInitializer `json:"initializers,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}

// An InitializerConfigurationList is a list of InitializerConfigurations.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type InitializerConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []InitializerConfiguration `json:"items"`
}

// A ConfiguredInitializer is a controller with the resources that it processes.
type ConfiguredInitializer struct {
	Name  string            `json:"name"`
	Rules []InitializerRule `json:"rules,omitempty"`
}

// An InitializerRule selects resources.
type InitializerRule struct {
	APIGroups   []string `json:"apiGroups,omitempty"`
	APIVersions []string `json:"apiVersions,omitempty"`
	Resources   []string `json:"resources,omitempty"`
}
