package builtin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Dynamic resource allocation started with claims that are allocated by a driver's controller: resource.k8s.io/v1alpha1
// (1.26) and v1alpha2 (1.27 to 1.30). Its successor, which came with v1alpha3, has little more than some names in
// common with it.

// A ResourceClassV1alpha2 is a class of resources with its driver. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassV1alpha2 struct {
	metav1.TypeMeta      `json:",inline"`
	metav1.ObjectMeta    `json:"metadata,omitempty"`
	DriverName           string                    `json:"driverName"`
	ParametersRef        *ClassParametersReference `json:"parametersRef,omitempty"`
	SuitableNodes        *corev1.NodeSelector      `json:"suitableNodes,omitempty"`
	StructuredParameters *bool                     `json:"structuredParameters,omitempty"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ResourceClassV1alpha2) OpenAPIModelName() string {
	return "io.k8s.api.resource.v1alpha2.ResourceClass"
}

// A ResourceClassListV1alpha2 is a list of ResourceClassV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClassV1alpha2 `json:"items"`
}

// A ClassParametersReference refers to the parameters of a class.
type ClassParametersReference struct {
	APIGroup  string `json:"apiGroup,omitempty"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

// A ResourceClaimV1alpha2 asks for a resource of a class.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClaimSpecV1alpha2   `json:"spec"`
	Status            ClaimStatusV1alpha2 `json:"status,omitempty"`
}

// A ResourceClaimListV1alpha2 is a list of ResourceClaimV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimV1alpha2 `json:"items"`
}

// A ClaimSpecV1alpha2 says what is requested, and when it is allocated.
type ClaimSpecV1alpha2 struct {
	ResourceClassName string                    `json:"resourceClassName"`
	ParametersRef     *ClaimParametersReference `json:"parametersRef,omitempty"`
	AllocationMode    string                    `json:"allocationMode,omitempty"`
}

// A ClaimParametersReference refers to the parameters of a claim.
type ClaimParametersReference struct {
	APIGroup string `json:"apiGroup,omitempty"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// A ClaimStatusV1alpha2 says what was allocated, and for whom it is reserved.
type ClaimStatusV1alpha2 struct {
	DriverName            string              `json:"driverName,omitempty"`
	Allocation            *AllocationV1alpha2 `json:"allocation,omitempty"`
	ReservedFor           []ClaimConsumer     `json:"reservedFor,omitempty" patchStrategy:"merge" patchMergeKey:"uid"`
	DeallocationRequested bool                `json:"deallocationRequested,omitempty"`
}

// An AllocationV1alpha2 says what was allocated.
type AllocationV1alpha2 struct {
	ResourceHandles  []ResourceHandle     `json:"resourceHandles,omitempty"`
	AvailableOnNodes *corev1.NodeSelector `json:"availableOnNodes,omitempty"`
	Shareable        bool                 `json:"shareable,omitempty"`
}

// A ResourceHandle is a driver's data about an allocation. Since 1.30 it may have a structured form that others
// understand, too.
type ResourceHandle struct {
	DriverName     string            `json:"driverName,omitempty"`
	Data           string            `json:"data,omitempty"`
	StructuredData *StructuredHandle `json:"structuredData,omitempty"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ResourceHandle) OpenAPIModelName() string { return "io.k8s.api.resource.v1alpha2.ResourceHandle" }

// A ClaimConsumer is a consumer of allocated devices.
type ClaimConsumer struct {
	APIGroup string    `json:"apiGroup,omitempty"`
	Resource string    `json:"resource"`
	Name     string    `json:"name"`
	UID      types.UID `json:"uid"`
}

// A ResourceClaimTemplateV1alpha2 is a template for the claims of pods.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClaimTemplateSpecV1alpha2 `json:"spec"`
}

// A ResourceClaimTemplateListV1alpha2 is a list of ResourceClaimTemplateV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimTemplateV1alpha2 `json:"items"`
}

// A ClaimTemplateSpecV1alpha2 is the template of a claim.
type ClaimTemplateSpecV1alpha2 struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClaimSpecV1alpha2 `json:"spec"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ClaimTemplateSpecV1alpha2) OpenAPIModelName() string {
	return "io.k8s.api.resource.v1alpha2.ResourceClaimTemplateSpec"
}

// A PodSchedulingContext lets a scheduler and drivers find a node for a pod. It is the same in v1alpha2 and v1alpha3
// (1.31), and was called PodScheduling in v1alpha1.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSchedulingContext struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodSchedulingSpec   `json:"spec"`
	Status            PodSchedulingStatus `json:"status,omitempty"`
}

// A PodSchedulingContextList is a list of PodSchedulingContexts.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSchedulingContextList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodSchedulingContext `json:"items"`
}

// A PodSchedulingSpec names the nodes that the scheduler considers.
type PodSchedulingSpec struct {
	SelectedNode   string   `json:"selectedNode,omitempty"`
	PotentialNodes []string `json:"potentialNodes,omitempty"`
}

// A PodSchedulingStatus holds the drivers' answers.
type PodSchedulingStatus struct {
	ResourceClaims []ClaimSchedulingStatus `json:"resourceClaims,omitempty"`
}

// A ClaimSchedulingStatus names the nodes where a claim of the pod cannot be allocated.
type ClaimSchedulingStatus struct {
	Name            string   `json:"name,omitempty"`
	UnsuitableNodes []string `json:"unsuitableNodes,omitempty"`
}

// A ResourceClassV1alpha1 is a ResourceClass of v1alpha1 (1.26).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassV1alpha1 ResourceClassV1alpha2

// A ResourceClassListV1alpha1 is a list of ResourceClassV1alpha1 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassListV1alpha1 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClassV1alpha1 `json:"items"`
}

// A ResourceClaimV1alpha1 is a ResourceClaim of v1alpha1 (1.26).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimV1alpha1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClaimSpecV1alpha2   `json:"spec"`
	Status            ClaimStatusV1alpha1 `json:"status,omitempty"`
}

// A ClaimStatusV1alpha1 says what was allocated, and for whom it is reserved.
type ClaimStatusV1alpha1 struct {
	DriverName            string              `json:"driverName,omitempty"`
	Allocation            *AllocationV1alpha1 `json:"allocation,omitempty"`
	ReservedFor           []ClaimConsumer     `json:"reservedFor,omitempty"`
	DeallocationRequested bool                `json:"deallocationRequested,omitempty"`
}

// An AllocationV1alpha1 says what was allocated, with a single handle of the claim's driver.
type AllocationV1alpha1 struct {
	ResourceHandle   string               `json:"resourceHandle,omitempty"`
	AvailableOnNodes *corev1.NodeSelector `json:"availableOnNodes,omitempty"`
	Shareable        bool                 `json:"shareable,omitempty"`
}

// A ResourceClaimListV1alpha1 is a list of ResourceClaimV1alpha1 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimListV1alpha1 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimV1alpha1 `json:"items"`
}

// A ResourceClaimTemplateV1alpha1 is a ResourceClaimTemplate of v1alpha1 (1.26).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateV1alpha1 ResourceClaimTemplateV1alpha2

// A ResourceClaimTemplateListV1alpha1 is a list of ResourceClaimTemplateV1alpha1 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateListV1alpha1 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimTemplateV1alpha1 `json:"items"`
}

// A PodScheduling is a PodSchedulingContext under its name of v1alpha1 (1.26).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodScheduling PodSchedulingContext

// A PodSchedulingList is a list of PodSchedulings.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSchedulingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodScheduling `json:"items"`
}

// A PodSchedulingContextV1alpha2 is a PodSchedulingContext of v1alpha2 (1.27 to 1.30).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSchedulingContextV1alpha2 PodSchedulingContext

// A PodSchedulingContextListV1alpha2 is a list of PodSchedulingContextV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSchedulingContextListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodSchedulingContextV1alpha2 `json:"items"`
}
