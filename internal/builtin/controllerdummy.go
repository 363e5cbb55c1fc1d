package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A ReplicationControllerDummy is what the group extensions had instead of ReplicationControllers, of which it served
// only the Scale.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ReplicationControllerDummy struct {
	metav1.TypeMeta `json:",inline"`
}
