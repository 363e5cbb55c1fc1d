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
	metav1.ObjectMeta    `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	DriverName           string                    `json:"driverName" protobuf:"bytes,2,name=driverName"`
	ParametersRef        *ClassParametersReference `json:"parametersRef,omitempty" protobuf:"bytes,3,opt,name=parametersRef"`
	SuitableNodes        *corev1.NodeSelector      `json:"suitableNodes,omitempty" protobuf:"bytes,4,opt,name=suitableNodes"`
	StructuredParameters *bool                     `json:"structuredParameters,omitempty" protobuf:"bytes,5,opt,name=structuredParameters"`
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
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClassV1alpha2 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ClassParametersReference refers to the parameters of a class.
type ClassParametersReference struct {
	APIGroup  string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt,name=apiGroup"`
	Kind      string `json:"kind" protobuf:"bytes,2,name=kind"`
	Name      string `json:"name" protobuf:"bytes,3,name=name"`
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,4,opt,name=namespace"`
}

// A ResourceClaimV1alpha2 asks for a resource of a class.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClaimSpecV1alpha2   `json:"spec" protobuf:"bytes,2,name=spec"`
	Status            ClaimStatusV1alpha2 `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A ResourceClaimListV1alpha2 is a list of ResourceClaimV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClaimV1alpha2 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ClaimSpecV1alpha2 says what is requested, and when it is allocated.
type ClaimSpecV1alpha2 struct {
	ResourceClassName string                    `json:"resourceClassName" protobuf:"bytes,1,name=resourceClassName"`
	ParametersRef     *ClaimParametersReference `json:"parametersRef,omitempty" protobuf:"bytes,2,opt,name=parametersRef"`
	AllocationMode    string                    `json:"allocationMode,omitempty" protobuf:"bytes,3,opt,name=allocationMode"`
}

// A ClaimParametersReference refers to the parameters of a claim.
type ClaimParametersReference struct {
	APIGroup string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt,name=apiGroup"`
	Kind     string `json:"kind" protobuf:"bytes,2,name=kind"`
	Name     string `json:"name" protobuf:"bytes,3,name=name"`
}

// A ClaimStatusV1alpha2 says what was allocated, and for whom it is reserved.
type ClaimStatusV1alpha2 struct {
	DriverName            string              `json:"driverName,omitempty" protobuf:"bytes,1,opt,name=driverName"`
	Allocation            *AllocationV1alpha2 `json:"allocation,omitempty" protobuf:"bytes,2,opt,name=allocation"`
	ReservedFor           []ClaimConsumer     `json:"reservedFor,omitempty" patchStrategy:"merge" patchMergeKey:"uid" protobuf:"bytes,3,opt,name=reservedFor"`
	DeallocationRequested bool                `json:"deallocationRequested,omitempty" protobuf:"varint,4,opt,name=deallocationRequested"`
}

// An AllocationV1alpha2 says what was allocated.
type AllocationV1alpha2 struct {
	ResourceHandles  []ResourceHandle     `json:"resourceHandles,omitempty" protobuf:"bytes,1,opt,name=resourceHandles"`
	AvailableOnNodes *corev1.NodeSelector `json:"availableOnNodes,omitempty" protobuf:"bytes,2,opt,name=availableOnNodes"`
	Shareable        bool                 `json:"shareable,omitempty" protobuf:"varint,3,opt,name=shareable"`
}

// A ResourceHandle is a driver's data about an allocation. Since 1.30 it may have a structured form that others
// understand, too.
type ResourceHandle struct {
	DriverName     string            `json:"driverName,omitempty" protobuf:"bytes,1,opt,name=driverName"`
	Data           string            `json:"data,omitempty" protobuf:"bytes,2,opt,name=data"`
	StructuredData *StructuredHandle `json:"structuredData,omitempty" protobuf:"bytes,5,opt,name=structuredData"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ResourceHandle) OpenAPIModelName() string { return "io.k8s.api.resource.v1alpha2.ResourceHandle" }

// A ClaimConsumer is a consumer of allocated devices.
type ClaimConsumer struct {
	APIGroup string    `json:"apiGroup,omitempty" protobuf:"bytes,1,opt,name=apiGroup"`
	Resource string    `json:"resource" protobuf:"bytes,3,name=resource"`
	Name     string    `json:"name" protobuf:"bytes,4,name=name"`
	UID      types.UID `json:"uid" protobuf:"bytes,5,name=uid"`
}

// A ResourceClaimTemplateV1alpha2 is a template for the claims of pods.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClaimTemplateSpecV1alpha2 `json:"spec" protobuf:"bytes,2,name=spec"`
}

// A ResourceClaimTemplateListV1alpha2 is a list of ResourceClaimTemplateV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClaimTemplateV1alpha2 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ClaimTemplateSpecV1alpha2 is the template of a claim.
type ClaimTemplateSpecV1alpha2 struct {
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClaimSpecV1alpha2 `json:"spec" protobuf:"bytes,2,name=spec"`
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
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              PodSchedulingSpec   `json:"spec" protobuf:"bytes,2,name=spec"`
	Status            PodSchedulingStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A PodSchedulingContextList is a list of PodSchedulingContexts.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSchedulingContextList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodSchedulingContext `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A PodSchedulingSpec names the nodes that the scheduler considers.
type PodSchedulingSpec struct {
	SelectedNode   string   `json:"selectedNode,omitempty" protobuf:"bytes,1,opt,name=selectedNode"`
	PotentialNodes []string `json:"potentialNodes,omitempty" protobuf:"bytes,2,opt,name=potentialNodes"`
}

// A PodSchedulingStatus holds the drivers' answers.
type PodSchedulingStatus struct {
	ResourceClaims []ClaimSchedulingStatus `json:"resourceClaims,omitempty" protobuf:"bytes,1,opt,name=resourceClaims"`
}

// A ClaimSchedulingStatus names the nodes where a claim of the pod cannot be allocated.
type ClaimSchedulingStatus struct {
	Name            string   `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	UnsuitableNodes []string `json:"unsuitableNodes,omitempty" protobuf:"bytes,2,opt,name=unsuitableNodes"`
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
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClassV1alpha1 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ResourceClaimV1alpha1 is a ResourceClaim of v1alpha1 (1.26).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimV1alpha1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClaimSpecV1alpha2   `json:"spec" protobuf:"bytes,2,name=spec"`
	Status            ClaimStatusV1alpha1 `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A ClaimStatusV1alpha1 says what was allocated, and for whom it is reserved.
type ClaimStatusV1alpha1 struct {
	DriverName            string              `json:"driverName,omitempty" protobuf:"bytes,1,opt,name=driverName"`
	Allocation            *AllocationV1alpha1 `json:"allocation,omitempty" protobuf:"bytes,2,opt,name=allocation"`
	ReservedFor           []ClaimConsumer     `json:"reservedFor,omitempty" protobuf:"bytes,3,opt,name=reservedFor"`
	DeallocationRequested bool                `json:"deallocationRequested,omitempty" protobuf:"varint,4,opt,name=deallocationRequested"`
}

// An AllocationV1alpha1 says what was allocated, with a single handle of the claim's driver.
type AllocationV1alpha1 struct {
	ResourceHandle   string               `json:"resourceHandle,omitempty" protobuf:"bytes,1,opt,name=resourceHandle"`
	AvailableOnNodes *corev1.NodeSelector `json:"availableOnNodes,omitempty" protobuf:"bytes,2,opt,name=availableOnNodes"`
	Shareable        bool                 `json:"shareable,omitempty" protobuf:"varint,3,opt,name=shareable"`
}

// A ResourceClaimListV1alpha1 is a list of ResourceClaimV1alpha1 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimListV1alpha1 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClaimV1alpha1 `json:"items" protobuf:"bytes,2,rep,name=items"`
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
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClaimTemplateV1alpha1 `json:"items" protobuf:"bytes,2,rep,name=items"`
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
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodScheduling `json:"items" protobuf:"bytes,2,rep,name=items"`
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
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodSchedulingContextV1alpha2 `json:"items" protobuf:"bytes,2,rep,name=items"`
}
