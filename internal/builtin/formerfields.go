package builtin

import (
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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

// A FormerField is a field that a type of k8s.io/api had in old releases. Next is the name of the field after it, or empty
// if it was the last one in all of them.
type FormerField = struct {
	Name, Next string
	Type       reflect.Type
}

// FormerFields returns the former fields of a type, in their order.
func FormerFields(t reflect.Type) []FormerField {
	model, _ := OpenAPIName(t)
	return formerFields()[model]
}

// FormerType returns the Go type of a field that the types of k8s.io/api no longer have. model is the name in OpenAPI of
// the type that had it.
func FormerType(model, name string) reflect.Type {
	for _, f := range formerFields()[model] {
		if f.Name == name {
			return f.Type
		}
	}
	panic("builtin: no type of the former field " + name + " of " + model)
}

// FormerStruct returns the type of a Go struct that has only this field.
func FormerStruct(model, name string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{
		Name: "Field",
		Type: FormerType(model, name),
		Tag:  reflect.StructTag(`json:"` + name + `"`),
	}})
}

// formerFields lists these fields by model.
var formerFields = sync.OnceValue(func() map[string][]FormerField {
	// Those of a device to resources of its node (1.36). Today's types have their values in other places.
	mappings := FormerField{"nodeAllocatableResourceMappings", "", reflect.TypeFor[map[corev1.ResourceName]struct {
		CapacityKey          string            `json:"capacityKey"`
		AllocationMultiplier resource.Quantity `json:"allocationMultiplier"`
	}]()}
	return map[string][]FormerField{
		"io.k8s.api.core.v1.EventSeries":                 {{"state", "", reflect.TypeFor[string]()}},
		"io.k8s.api.core.v1.PersistentVolumeClaimStatus": {{"resizeStatus", "", reflect.TypeFor[*PersistentVolumeClaimResizeStatus]()}},
		"io.k8s.api.core.v1.PodSpec":                     {{"workloadRef", "", reflect.TypeFor[*WorkloadReference]()}},
		"io.k8s.api.core.v1.ServiceSpec": {
			{"ipFamily", "ipFamilies", reflect.TypeFor[*corev1.IPFamily]()},
			{"topologyKeys", "ipFamilies", reflect.TypeFor[[]string]()},
		},
		"io.k8s.api.core.v1.VolumeResourceRequirements": {{"claims", "", reflect.TypeFor[[]corev1.ResourceClaim]()}},
		"io.k8s.api.events.v1beta1.EventSeries":         {{"state", "", reflect.TypeFor[string]()}},
		"io.k8s.api.networking.v1.NetworkPolicy":        {{"status", "", reflect.TypeFor[NetworkPolicyStatus]()}},
		"io.k8s.api.networking.v1.ParentReference":      {{"uid", "", reflect.TypeFor[types.UID]()}},
		"io.k8s.api.resource.v1.Device":                 {mappings},
		"io.k8s.api.resource.v1beta1.BasicDevice":       {mappings},
		"io.k8s.api.resource.v1beta2.Device":            {mappings},
		"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
			{"initializers", "finalizers", reflect.TypeFor[*Initializers]()},
			{"clusterName", "managedFields", reflect.TypeFor[string]()},
		},
	}
})
