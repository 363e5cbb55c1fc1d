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
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
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

// Initializers say which controllers have not processed an object yet (1.10 to 1.15).
//
// +k8s:deepcopy-gen=false
type Initializers struct {
	Pending []Initializer  `json:"pending" patchStrategy:"merge" patchMergeKey:"name"`
	Result  *metav1.Status `json:"result,omitempty"`
}

// An Initializer is a controller that has not processed the object yet.
//
// +k8s:deepcopy-gen=false
type Initializer struct {
	Name string `json:"name"`
}

// FormerType returns the Go type of a field that the types of k8s.io/api no longer have. model is the name in OpenAPI of
// the type that had it.
func FormerType(model, name string) reflect.Type {
	t, ok := formerTypes[[2]string{model, name}]
	if !ok {
		panic("builtin: no type of the former field " + name + " of " + model)
	}
	return t
}

// FormerStruct returns the type of a Go struct that has only this field.
func FormerStruct(model, name string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{
		Name: "Field",
		Type: FormerType(model, name),
		Tag:  reflect.StructTag(`json:"` + name + `"`),
	}})
}

// formerTypes lists these types by model and name.
var formerTypes = map[[2]string]reflect.Type{
	{"io.k8s.api.core.v1.EventSeries", "state"}:                         reflect.TypeFor[string](),
	{"io.k8s.api.events.v1beta1.EventSeries", "state"}:                  reflect.TypeFor[string](),
	{"io.k8s.api.core.v1.ServiceSpec", "ipFamily"}:                      reflect.TypeFor[*corev1.IPFamily](),
	{"io.k8s.api.core.v1.ServiceSpec", "topologyKeys"}:                  reflect.TypeFor[[]string](),
	{"io.k8s.api.core.v1.PersistentVolumeClaimStatus", "resizeStatus"}:  reflect.TypeFor[*PersistentVolumeClaimResizeStatus](),
	{"io.k8s.api.core.v1.PodSpec", "workloadRef"}:                       reflect.TypeFor[*WorkloadReference](),
	{"io.k8s.api.core.v1.VolumeResourceRequirements", "claims"}:         reflect.TypeFor[[]corev1.ResourceClaim](),
	{"io.k8s.api.networking.v1.NetworkPolicy", "status"}:                reflect.TypeFor[NetworkPolicyStatus](),
	{"io.k8s.api.networking.v1.ParentReference", "uid"}:                 reflect.TypeFor[types.UID](),
	{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "clusterName"}:  reflect.TypeFor[string](),
	{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "initializers"}: reflect.TypeFor[*Initializers](),
}
