package builtin

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A ClusterCIDR is a range from which nodes get the ranges of their pods (1.25 to 1.28). It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ClusterCIDR struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              ClusterCIDRSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// A ClusterCIDRList is a list of ClusterCIDRs.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ClusterCIDRList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ClusterCIDR `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ClusterCIDRSpec has the range of each family, how much of it a node gets, and which nodes it is for.
type ClusterCIDRSpec struct {
	NodeSelector    *corev1.NodeSelector `json:"nodeSelector,omitempty" protobuf:"bytes,1,opt,name=nodeSelector"`
	PerNodeHostBits int32                `json:"perNodeHostBits" protobuf:"varint,2,opt,name=perNodeHostBits"`
	IPv4            string               `json:"ipv4" protobuf:"bytes,3,opt,name=ipv4"`
	IPv6            string               `json:"ipv6" protobuf:"bytes,4,opt,name=ipv6"`
}

// IPAddress is the IPAddress of networking.k8s.io/v1alpha1 (1.27 to 1.30), without the uid of its parent.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type IPAddress struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              networkingv1.IPAddressSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// An IPAddressList is a list of IPAddresses.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type IPAddressList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []IPAddress `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ServiceCIDR is the ServiceCIDR of networking.k8s.io/v1alpha1 (1.29 and 1.30).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ServiceCIDR struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              networkingv1.ServiceCIDRSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status            networkingv1.ServiceCIDRStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A ServiceCIDRList is a list of ServiceCIDRs.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ServiceCIDRList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ServiceCIDR `json:"items" protobuf:"bytes,2,rep,name=items"`
}
