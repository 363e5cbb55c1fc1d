package builtin

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// An InitializerConfiguration says which controllers have to have looked at a new object
// before others may see it. It belongs to no namespace.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type InitializerConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Initializers      []ConfiguredInitializer `json:"initializers,omitempty"`
}

// An InitializerConfigurationList is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type InitializerConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []InitializerConfiguration `json:"items"`
}

// A ConfiguredInitializer is one controller and what it looks at.
type ConfiguredInitializer struct {
	Name  string            `json:"name"`
	Rules []InitializerRule `json:"rules,omitempty"`
}

// An InitializerRule names resources.
type InitializerRule struct {
	APIGroups   []string `json:"apiGroups,omitempty"`
	APIVersions []string `json:"apiVersions,omitempty"`
	Resources   []string `json:"resources,omitempty"`
}

// Initializers is the field metadata.initializers of those releases.
type Initializers struct {
	Pending []Initializer  `json:"pending"`
	Result  *metav1.Status `json:"result,omitempty"`
}

// An Initializer is one that has not looked at the object yet.
type Initializer struct {
	Name string `json:"name"`
}

// initializersAnnotation stands for the field metadata.initializers, which the metadata of
// today has no room for: its value is the field's, as JSON.
const initializersAnnotation = "initializers.admsim.dev/metadata.initializers"

// InitializersOf returns metadata.initializers of an object, nil if it has none.
func InitializersOf(object runtime.Object) (*Initializers, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, nil // no metadata, no initializers
	}
	value, ok := m.GetAnnotations()[initializersAnnotation]
	if !ok {
		return nil, nil
	}
	in := &Initializers{}
	return in, json.Unmarshal([]byte(value), in)
}

// WithInitializers returns a copy of object that has these initializers; nil takes them away.
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
