package builtin

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claims of devices were resource.k8s.io/v1alpha3 from 1.31 to 1.33, and have the fields of
// v1beta1, but for capacities. What 1.31 had for the controllers of drivers is left out, behind
// a gate of its own.

// A DeviceClassV1alpha3 is a kind of devices. It belongs to no namespace.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceClassV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              resourcev1beta1.DeviceClassSpec `json:"spec"`
}

// A DeviceClassListV1alpha3 is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceClassListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DeviceClassV1alpha3 `json:"items"`
}

// A ResourceClaimV1alpha3 asks for devices.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              resourcev1beta1.ResourceClaimSpec   `json:"spec"`
	Status            resourcev1beta1.ResourceClaimStatus `json:"status,omitempty"`
}

// A ResourceClaimListV1alpha3 is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimV1alpha3 `json:"items"`
}

// A ResourceClaimTemplateV1alpha3 is what claims of pods are made from.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              resourcev1beta1.ResourceClaimTemplateSpec `json:"spec"`
}

// A ResourceClaimTemplateListV1alpha3 is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimTemplateV1alpha3 `json:"items"`
}

// A ResourceSliceV1alpha3 is devices that a driver has. It belongs to no namespace.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SliceSpecV1alpha3 `json:"spec"`
}

// A ResourceSliceListV1alpha3 is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceSliceV1alpha3 `json:"items"`
}

// A SliceSpecV1alpha3 is devices, and where they are.
type SliceSpecV1alpha3 struct {
	Driver                 string                       `json:"driver"`
	Pool                   resourcev1beta1.ResourcePool `json:"pool"`
	NodeName               string                       `json:"nodeName,omitempty"`
	NodeSelector           *corev1.NodeSelector         `json:"nodeSelector,omitempty"`
	AllNodes               bool                         `json:"allNodes,omitempty"`
	Devices                []DeviceV1alpha3             `json:"devices"`
	PerDeviceNodeSelection *bool                        `json:"perDeviceNodeSelection,omitempty"`
	SharedCounters         []resourcev1beta1.CounterSet `json:"sharedCounters,omitempty"`
}

// A DeviceV1alpha3 is one device.
type DeviceV1alpha3 struct {
	Name  string               `json:"name"`
	Basic *BasicDeviceV1alpha3 `json:"basic,omitempty"`
}

// A BasicDeviceV1alpha3 is what is known of a device. Its capacities are bare quantities.
type BasicDeviceV1alpha3 struct {
	Attributes       map[resourcev1beta1.QualifiedName]resourcev1beta1.DeviceAttribute `json:"attributes,omitempty"`
	Capacity         map[resourcev1beta1.QualifiedName]resource.Quantity               `json:"capacity,omitempty"`
	ConsumesCounters []resourcev1beta1.DeviceCounterConsumption                        `json:"consumesCounters,omitempty"`
	NodeName         *string                                                           `json:"nodeName,omitempty"`
	NodeSelector     *corev1.NodeSelector                                              `json:"nodeSelector,omitempty"`
	AllNodes         *bool                                                             `json:"allNodes,omitempty"`
	Taints           []resourcev1beta1.DeviceTaint                                     `json:"taints,omitempty"`
}
