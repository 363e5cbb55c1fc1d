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
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodCertificateRequestSpec                       `json:"spec"`
	Status            certificatesv1beta1.PodCertificateRequestStatus `json:"status,omitempty"`
}

// A PodCertificateRequestList is a list of PodCertificateRequests.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodCertificateRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodCertificateRequest `json:"items"`
}

// A PodCertificateRequestSpec says which pod requests a certificate, from which signer, and for which key.
type PodCertificateRequestSpec struct {
	SignerName           string         `json:"signerName"`
	PodName              string         `json:"podName"`
	PodUID               types.UID      `json:"podUID"`
	ServiceAccountName   string         `json:"serviceAccountName"`
	ServiceAccountUID    types.UID      `json:"serviceAccountUID"`
	NodeName             types.NodeName `json:"nodeName"`
	NodeUID              types.UID      `json:"nodeUID"`
	MaxExpirationSeconds *int32         `json:"maxExpirationSeconds,omitempty"`
	PKIXPublicKey        []byte         `json:"pkixPublicKey"`
	ProofOfPossession    []byte         `json:"proofOfPossession"`
}
