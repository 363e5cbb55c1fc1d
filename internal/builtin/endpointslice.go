package builtin

import (
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EndpointSlice is the EndpointSlice of discovery.k8s.io/v1alpha1 (1.16). It may omit the type of its addresses,
// which may then be of either family.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type EndpointSlice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	AddressType       *discoveryv1beta1.AddressType   `json:"addressType" protobuf:"bytes,4,rep,name=addressType"`
	Endpoints         []discoveryv1beta1.Endpoint     `json:"endpoints" protobuf:"bytes,2,rep,name=endpoints"`
	Ports             []discoveryv1beta1.EndpointPort `json:"ports" protobuf:"bytes,3,rep,name=ports"`
}

// An EndpointSliceList is a list of EndpointSlices.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type EndpointSliceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []EndpointSlice `json:"items" protobuf:"bytes,2,rep,name=items"`
}
