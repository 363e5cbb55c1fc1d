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
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              DeviceTaintRuleSpec                    `json:"spec" protobuf:"bytes,2,name=spec"`
	Status            resourcev1alpha3.DeviceTaintRuleStatus `json:"status,omitempty"`
}

// A DeviceTaintRuleList is a list of DeviceTaintRules.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type DeviceTaintRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DeviceTaintRule `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A DeviceTaintRuleSpec says which devices get which taint.
type DeviceTaintRuleSpec struct {
	DeviceSelector *DeviceTaintSelector         `json:"deviceSelector,omitempty" protobuf:"bytes,1,opt,name=deviceSelector"`
	Taint          resourcev1alpha3.DeviceTaint `json:"taint,omitempty"`
}

// A DeviceTaintSelector selects devices by all of its fields. 1.33 and 1.34 had DeviceClassName and Selectors:
// k8s.io/api@v0.34.2:resource/v1alpha3/types.go.
type DeviceTaintSelector struct {
	DeviceClassName *string          `json:"deviceClassName,omitempty"`
	Driver          *string          `json:"driver,omitempty"`
	Pool            *string          `json:"pool,omitempty"`
	Device          *string          `json:"device,omitempty"`
	Selectors       []DeviceSelector `json:"selectors,omitempty"`
}

// A DeviceSelector selects devices by a CEL expression.
type DeviceSelector struct {
	CEL *CELDeviceSelector `json:"cel,omitempty"`
}

// A CELDeviceSelector is a CEL expression about a device.
type CELDeviceSelector struct {
	Expression string `json:"expression"`
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

// Marshal writes the rule in protocol buffers, without the fields that k8s.io/api no longer has. Package wire
// reads and adds them.
func (r *DeviceTaintRule) Marshal() ([]byte, error) {
	published := r.published()
	return published.Marshal()
}

// Unmarshal is the reverse of Marshal.
func (r *DeviceTaintRule) Unmarshal(data []byte) error {
	var published resourcev1alpha3.DeviceTaintRule
	if err := published.Unmarshal(data); err != nil {
		return err
	}
	*r = DeviceTaintRule{ObjectMeta: published.ObjectMeta, Spec: DeviceTaintRuleSpec{Taint: published.Spec.Taint}, Status: published.Status}
	if s := published.Spec.DeviceSelector; s != nil {
		r.Spec.DeviceSelector = &DeviceTaintSelector{Driver: s.Driver, Pool: s.Pool, Device: s.Device}
	}
	return nil
}

// Marshal writes the list in protocol buffers, as [DeviceTaintRule.Marshal] does.
func (l *DeviceTaintRuleList) Marshal() ([]byte, error) {
	published := resourcev1alpha3.DeviceTaintRuleList{ListMeta: l.ListMeta}
	for i := range l.Items {
		published.Items = append(published.Items, l.Items[i].published())
	}
	return published.Marshal()
}

func (r *DeviceTaintRule) published() resourcev1alpha3.DeviceTaintRule {
	published := resourcev1alpha3.DeviceTaintRule{ObjectMeta: r.ObjectMeta, Spec: resourcev1alpha3.DeviceTaintRuleSpec{Taint: r.Spec.Taint}, Status: r.Status}
	if s := r.Spec.DeviceSelector; s != nil {
		published.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{Driver: s.Driver, Pool: s.Pool, Device: s.Device}
	}
	return published
}
