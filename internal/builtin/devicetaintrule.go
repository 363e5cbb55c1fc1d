package builtin

import (
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A DeviceTaintRule is a DeviceTaintRule of resource.k8s.io/v1alpha3: it taints the devices that it selects. It has the
// fields of the type in k8s.io/api and those that only 1.33 and 1.34 had. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceTaintRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              DeviceTaintRuleSpec                    `json:"spec" protobuf:"bytes,2,name=spec"`
	Status            resourcev1alpha3.DeviceTaintRuleStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A DeviceTaintRuleList is a list of DeviceTaintRules.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceTaintRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []DeviceTaintRule `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A DeviceTaintRuleSpec says which devices get which taint.
type DeviceTaintRuleSpec struct {
	DeviceSelector *DeviceTaintSelector         `json:"deviceSelector,omitempty" protobuf:"bytes,1,opt,name=deviceSelector"`
	Taint          resourcev1alpha3.DeviceTaint `json:"taint,omitempty" protobuf:"bytes,2,rep,name=taint"`
}

// A DeviceTaintSelector selects devices by all of its fields. 1.33 and 1.34 had DeviceClassName and Selectors
// (k8s.io/api@v0.34.2:resource/v1alpha3/types.go), which package wire reads and writes for them only.
type DeviceTaintSelector struct {
	DeviceClassName *string          `json:"deviceClassName,omitempty" protobuf:"-"`
	Driver          *string          `json:"driver,omitempty" protobuf:"bytes,2,opt,name=driver"`
	Pool            *string          `json:"pool,omitempty" protobuf:"bytes,3,opt,name=pool"`
	Device          *string          `json:"device,omitempty" protobuf:"bytes,4,opt,name=device"`
	Selectors       []DeviceSelector `json:"selectors,omitempty" protobuf:"-"`
}

// A DeviceSelector selects devices by a CEL expression.
type DeviceSelector struct {
	CEL *CELDeviceSelector `json:"cel,omitempty" protobuf:"bytes,1,opt,name=cel"`
}

// A CELDeviceSelector is a CEL expression about a device.
type CELDeviceSelector struct {
	Expression string `json:"expression" protobuf:"bytes,1,name=expression"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (DeviceTaintRule) OpenAPIModelName() string {
	return resourcev1alpha3.DeviceTaintRule{}.OpenAPIModelName()
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (DeviceTaintRuleSpec) OpenAPIModelName() string {
	return resourcev1alpha3.DeviceTaintRuleSpec{}.OpenAPIModelName()
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (DeviceTaintSelector) OpenAPIModelName() string {
	return resourcev1alpha3.DeviceTaintSelector{}.OpenAPIModelName()
}
