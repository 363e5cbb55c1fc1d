package builtin

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// An InitializerConfiguration says which controllers must have processed a new object before others may see it. It is
// not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type InitializerConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Initializers      []ConfiguredInitializer `json:"initializers,omitempty"`
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

// Initializers is the field metadata.initializers of the releases that had it.
type Initializers struct {
	Pending []Initializer  `json:"pending"`
	Result  *metav1.Status `json:"result,omitempty"`
}

// An Initializer is a controller that has not processed the object yet.
type Initializer struct {
	Name string `json:"name"`
}

// initializersAnnotation holds the field metadata.initializers as JSON, since today's ObjectMeta does not have it.
const initializersAnnotation = "initializers.admsim.dev/metadata.initializers"

// InitializersOf returns metadata.initializers of an object, or nil if it has none.
func InitializersOf(object runtime.Object) (*Initializers, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, nil // objects without metadata have no initializers
	}
	value, ok := m.GetAnnotations()[initializersAnnotation]
	if !ok {
		return nil, nil
	}
	in := &Initializers{}
	return in, json.Unmarshal([]byte(value), in)
}

// WithInitializers returns a copy of object with these initializers, or without any if in is nil.
func WithInitializers(object runtime.Object, in *Initializers) (runtime.Object, error) {
	object = object.DeepCopyObject()
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	annotations := m.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, initializersAnnotation)
	if in != nil {
		value, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		annotations[initializersAnnotation] = string(value)
	}
	m.SetAnnotations(annotations)
	return object, nil
}
