package builtin

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claims for devices were served as resource.k8s.io/v1alpha3 from 1.31 to 1.33. They have the fields of v1beta1, except
// for capacities. The fields for the controllers of drivers, which 1.31 had behind a feature gate of their own, are
// omitted.

// A DeviceClassV1alpha3 is a class of devices. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceClassV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              resourcev1beta1.DeviceClassSpec `json:"spec"`
}

// A DeviceClassListV1alpha3 is a list of DeviceClassV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceClassListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DeviceClassV1alpha3 `json:"items"`
}

// A ResourceClaimV1alpha3 requests devices.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              resourcev1beta1.ResourceClaimSpec   `json:"spec"`
	Status            resourcev1beta1.ResourceClaimStatus `json:"status,omitempty"`
}

// A ResourceClaimListV1alpha3 is a list of ResourceClaimV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimV1alpha3 `json:"items"`
}

// A ResourceClaimTemplateV1alpha3 is a template for the claims of pods.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              resourcev1beta1.ResourceClaimTemplateSpec `json:"spec"`
}

// A ResourceClaimTemplateListV1alpha3 is a list of ResourceClaimTemplateV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimTemplateListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimTemplateV1alpha3 `json:"items"`
}

// A ResourceSliceV1alpha3 lists devices of a driver. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceV1alpha3 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SliceSpecV1alpha3 `json:"spec"`
}

// A ResourceSliceListV1alpha3 is a list of ResourceSliceV1alpha3 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceListV1alpha3 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceSliceV1alpha3 `json:"items"`
}

// A SliceSpecV1alpha3 lists devices, and says where they are.
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

// A BasicDeviceV1alpha3 describes a device. Its capacities are plain quantities.
type BasicDeviceV1alpha3 struct {
	Attributes       map[resourcev1beta1.QualifiedName]resourcev1beta1.DeviceAttribute `json:"attributes,omitempty"`
	Capacity         map[resourcev1beta1.QualifiedName]resource.Quantity               `json:"capacity,omitempty"`
	ConsumesCounters []resourcev1beta1.DeviceCounterConsumption                        `json:"consumesCounters,omitempty"`
	NodeName         *string                                                           `json:"nodeName,omitempty"`
	NodeSelector     *corev1.NodeSelector                                              `json:"nodeSelector,omitempty"`
	AllNodes         *bool                                                             `json:"allNodes,omitempty"`
	Taints           []resourcev1beta1.DeviceTaint                                     `json:"taints,omitempty"`
}
