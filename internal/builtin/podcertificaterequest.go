package builtin

import (
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// PodCertificateRequest is the PodCertificateRequest of certificates.k8s.io/v1alpha1 (1.34).
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodCertificateRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              PodCertificateRequestSpec                       `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	Status            certificatesv1beta1.PodCertificateRequestStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A PodCertificateRequestList is a list of PodCertificateRequests.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodCertificateRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodCertificateRequest `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A PodCertificateRequestSpec says which pod requests a certificate, from which signer, and for which key.
type PodCertificateRequestSpec struct {
	SignerName           string         `json:"signerName" protobuf:"bytes,1,opt,name=signerName"`
	PodName              string         `json:"podName" protobuf:"bytes,2,opt,name=podName"`
	PodUID               types.UID      `json:"podUID" protobuf:"bytes,3,opt,name=podUID"`
	ServiceAccountName   string         `json:"serviceAccountName" protobuf:"bytes,4,opt,name=serviceAccountName"`
	ServiceAccountUID    types.UID      `json:"serviceAccountUID" protobuf:"bytes,5,opt,name=serviceAccountUID"`
	NodeName             types.NodeName `json:"nodeName" protobuf:"bytes,6,opt,name=nodeName"`
	NodeUID              types.UID      `json:"nodeUID" protobuf:"bytes,7,opt,name=nodeUID"`
	MaxExpirationSeconds *int32         `json:"maxExpirationSeconds,omitempty" protobuf:"varint,8,opt,name=maxExpirationSeconds"`
	PKIXPublicKey        []byte         `json:"pkixPublicKey" protobuf:"bytes,9,opt,name=pkixPublicKey"`
	ProofOfPossession    []byte         `json:"proofOfPossession" protobuf:"bytes,10,opt,name=proofOfPossession"`
}
