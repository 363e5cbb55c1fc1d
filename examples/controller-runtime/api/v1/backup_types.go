// Package v1 holds the types of the group ops.shop.example.
//
// +kubebuilder:object:generate=true
// +groupName=ops.shop.example
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the types.
var GroupVersion = schema.GroupVersion{Group: "ops.shop.example", Version: "v1"}

// AddToScheme makes the types known to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Backup{}, &BackupList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

// A BackupSpec says what is kept of a volume.
type BackupSpec struct {
	// Volume is the claim that is backed up.
	// +kubebuilder:validation:MinLength=1
	Volume string `json:"volume"`

	// Every is how often: a duration such as 24h.
	// +optional
	Every string `json:"every,omitempty"`

	// Keep is how many backups stay.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Keep *int32 `json:"keep,omitempty"`
}

// +kubebuilder:object:root=true

// A Backup has a volume backed up from time to time.
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BackupSpec `json:"spec"`
}

// +kubebuilder:object:root=true

// A BackupList is a list of Backups.
type BackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Backup `json:"items"`
}
