package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A ReplicationControllerDummy is what the group extensions had instead of ReplicationControllers, of which it served
// only the Scale.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ReplicationControllerDummy struct {
	metav1.TypeMeta `json:",inline"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ReplicationControllerDummy) OpenAPIModelName() string {
	return "io.k8s.api.extensions.v1beta1.ReplicationControllerDummy"
}
