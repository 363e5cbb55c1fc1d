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
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClusterCIDRSpec `json:"spec,omitempty"`
}

// A ClusterCIDRList is a list of ClusterCIDRs.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ClusterCIDRList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterCIDR `json:"items"`
}

// A ClusterCIDRSpec has the range of each family, how much of it a node gets, and which nodes it is for.
type ClusterCIDRSpec struct {
	NodeSelector    *corev1.NodeSelector `json:"nodeSelector,omitempty"`
	PerNodeHostBits int32                `json:"perNodeHostBits"`
	IPv4            string               `json:"ipv4"`
	IPv6            string               `json:"ipv6"`
}

// IPAddress is the IPAddress of networking.k8s.io/v1alpha1 (1.27 to 1.30), without the uid of its parent.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type IPAddress struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              networkingv1.IPAddressSpec `json:"spec,omitempty"`
}

// An IPAddressList is a list of IPAddresses.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type IPAddressList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []IPAddress `json:"items"`
}

// ServiceCIDR is the ServiceCIDR of networking.k8s.io/v1alpha1 (1.29 and 1.30).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ServiceCIDR struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              networkingv1.ServiceCIDRSpec   `json:"spec,omitempty"`
	Status            networkingv1.ServiceCIDRStatus `json:"status,omitempty"`
}

// A ServiceCIDRList is a list of ServiceCIDRs.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ServiceCIDRList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceCIDR `json:"items"`
}
