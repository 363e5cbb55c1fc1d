package builtin

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A NetworkPolicyStatus is the status of a NetworkPolicy (1.24 to 1.27).
//
// +k8s:deepcopy-gen=false
type NetworkPolicyStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// A WorkloadReference names the group of a workload that a pod belongs to (1.35).
//
// +k8s:deepcopy-gen=false
type WorkloadReference struct {
	Name               string `json:"name"`
	PodGroup           string `json:"podGroup"`
	PodGroupReplicaKey string `json:"podGroupReplicaKey,omitempty"`
}

// A ParentReference is what an IPAddress refers to, with its uid (1.27 and 1.28).
//
// +k8s:deepcopy-gen=false
type ParentReference struct {
	Group, Resource, Namespace, Name string
	UID                              types.UID
}

// A PersistentVolumeClaimResizeStatus is the state of the expansion of a claim (1.23 to 1.27).
type PersistentVolumeClaimResizeStatus string

// FormerType returns the Go type of a field with this name that the types of k8s.io/api no longer have.
func FormerType(name string) reflect.Type {
	switch name {
	case "claims":
		return reflect.TypeFor[[]corev1.ResourceClaim]()
	case "resizeStatus":
		return reflect.TypeFor[*PersistentVolumeClaimResizeStatus]()
	case "status":
		return reflect.TypeFor[NetworkPolicyStatus]()
	case "uid":
		return reflect.TypeFor[types.UID]()
	case "workloadRef":
		return reflect.TypeFor[*WorkloadReference]()
	}
	panic("builtin: no type of a former field " + name)
}
