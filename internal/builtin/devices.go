package builtin

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claims for devices were served as resource.k8s.io/v1alpha3 from 1.31 to 1.33. They have the fields of v1beta1, except
// for capacities, and in 1.31 fields for the controllers of drivers, which later releases do not have.

// A DeviceClassV1alpha3 is a class of devices. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceClassV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              DeviceClassSpecV1alpha3 `json:"spec" protobuf:"bytes,2,name=spec"`
}

// A DeviceClassSpecV1alpha3 selects devices, and the nodes that a controller considers.
type DeviceClassSpecV1alpha3 struct {
	Selectors     []resourcev1beta1.DeviceSelector           `json:"selectors,omitempty" protobuf:"bytes,1,opt,name=selectors"`
	Config        []resourcev1beta1.DeviceClassConfiguration `json:"config,omitempty" protobuf:"bytes,2,opt,name=config"`
	SuitableNodes *corev1.NodeSelector                       `json:"suitableNodes,omitempty" protobuf:"bytes,3,opt,name=suitableNodes"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (DeviceClassSpecV1alpha3) OpenAPIModelName() string {
	return "io.k8s.api.resource.v1alpha3.DeviceClassSpec"
}

// A DeviceClassListV1alpha3 is a list of DeviceClassV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceClassListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []DeviceClassV1alpha3 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ResourceClaimV1alpha3 requests devices.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClaimSpecV1alpha3   `json:"spec" protobuf:"bytes,2,name=spec"`
	Status            ClaimStatusV1alpha3 `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A ClaimSpecV1alpha3 requests devices, perhaps from a controller.
type ClaimSpecV1alpha3 struct {
	Devices    resourcev1beta1.DeviceClaim `json:"devices,omitempty" protobuf:"bytes,1,name=devices"`
	Controller string                      `json:"controller,omitempty" protobuf:"bytes,2,opt,name=controller"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ClaimSpecV1alpha3) OpenAPIModelName() string {
	return "io.k8s.api.resource.v1alpha3.ResourceClaimSpec"
}

// A ClaimStatusV1alpha3 says what was allocated, and for whom it is reserved.
type ClaimStatusV1alpha3 struct {
	Allocation            *AllocationV1alpha3                              `json:"allocation,omitempty" protobuf:"bytes,1,opt,name=allocation"`
	ReservedFor           []resourcev1beta1.ResourceClaimConsumerReference `json:"reservedFor,omitempty" patchStrategy:"merge" patchMergeKey:"uid" protobuf:"bytes,2,opt,name=reservedFor"`
	DeallocationRequested bool                                             `json:"deallocationRequested,omitempty" protobuf:"bytes,3,opt,name=deallocationRequested"`
	Devices               []resourcev1beta1.AllocatedDeviceStatus          `json:"devices,omitempty" protobuf:"bytes,4,opt,name=devices"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ClaimStatusV1alpha3) OpenAPIModelName() string {
	return "io.k8s.api.resource.v1alpha3.ResourceClaimStatus"
}

// An AllocationV1alpha3 says what was allocated, perhaps by a controller.
type AllocationV1alpha3 struct {
	Devices      resourcev1beta1.DeviceAllocationResult `json:"devices,omitempty" protobuf:"bytes,1,opt,name=devices"`
	NodeSelector *corev1.NodeSelector                   `json:"nodeSelector,omitempty" protobuf:"bytes,3,opt,name=nodeSelector"`
	Controller   string                                 `json:"controller,omitempty" protobuf:"bytes,4,opt,name=controller"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (AllocationV1alpha3) OpenAPIModelName() string {
	return "io.k8s.api.resource.v1alpha3.AllocationResult"
}

// A ResourceClaimListV1alpha3 is a list of ResourceClaimV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClaimV1alpha3 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ResourceClaimTemplateV1alpha3 is a template for the claims of pods.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClaimTemplateSpecV1alpha3 `json:"spec" protobuf:"bytes,2,name=spec"`
}

// A ClaimTemplateSpecV1alpha3 is the template of a claim.
type ClaimTemplateSpecV1alpha3 struct {
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClaimSpecV1alpha3 `json:"spec" protobuf:"bytes,2,name=spec"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (ClaimTemplateSpecV1alpha3) OpenAPIModelName() string {
	return "io.k8s.api.resource.v1alpha3.ResourceClaimTemplateSpec"
}

// A ResourceClaimTemplateListV1alpha3 is a list of ResourceClaimTemplateV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClaimTemplateV1alpha3 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ResourceSliceV1alpha3 lists devices of a driver. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              SliceSpecV1alpha3 `json:"spec" protobuf:"bytes,2,name=spec"`
}

// A ResourceSliceListV1alpha3 is a list of ResourceSliceV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceSliceV1alpha3 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A SliceSpecV1alpha3 lists devices, and says where they are.
type SliceSpecV1alpha3 struct {
	Driver                 string                       `json:"driver" protobuf:"bytes,1,name=driver"`
	Pool                   resourcev1beta1.ResourcePool `json:"pool" protobuf:"bytes,2,name=pool"`
	NodeName               string                       `json:"nodeName,omitempty" protobuf:"bytes,3,opt,name=nodeName"`
	NodeSelector           *corev1.NodeSelector         `json:"nodeSelector,omitempty" protobuf:"bytes,4,opt,name=nodeSelector"`
	AllNodes               bool                         `json:"allNodes,omitempty" protobuf:"bytes,5,opt,name=allNodes"`
	Devices                []DeviceV1alpha3             `json:"devices" protobuf:"bytes,6,name=devices"`
	PerDeviceNodeSelection *bool                        `json:"perDeviceNodeSelection,omitempty" protobuf:"bytes,7,name=perDeviceNodeSelection"`
	SharedCounters         []resourcev1beta1.CounterSet `json:"sharedCounters,omitempty" protobuf:"bytes,8,name=sharedCounters"`
}

// A DeviceV1alpha3 is one device.
type DeviceV1alpha3 struct {
	Name  string               `json:"name" protobuf:"bytes,1,name=name"`
	Basic *BasicDeviceV1alpha3 `json:"basic,omitempty" protobuf:"bytes,2,opt,name=basic"`
}

// A BasicDeviceV1alpha3 describes a device. Its capacities are plain quantities.
type BasicDeviceV1alpha3 struct {
	Attributes       map[resourcev1beta1.QualifiedName]resourcev1beta1.DeviceAttribute `json:"attributes,omitempty" protobuf:"bytes,1,rep,name=attributes"`
	Capacity         map[resourcev1beta1.QualifiedName]resource.Quantity               `json:"capacity,omitempty" protobuf:"bytes,2,rep,name=capacity"`
	ConsumesCounters []resourcev1beta1.DeviceCounterConsumption                        `json:"consumesCounters,omitempty" protobuf:"bytes,3,rep,name=consumesCounters"`
	NodeName         *string                                                           `json:"nodeName,omitempty" protobuf:"bytes,4,opt,name=nodeName"`
	NodeSelector     *corev1.NodeSelector                                              `json:"nodeSelector,omitempty" protobuf:"bytes,5,opt,name=nodeSelector"`
	AllNodes         *bool                                                             `json:"allNodes,omitempty" protobuf:"bytes,6,opt,name=allNodes"`
	Taints           []resourcev1beta1.DeviceTaint                                     `json:"taints,omitempty" protobuf:"bytes,7,rep,name=taints"`
}
