// Package certificates has the rules of CertificateSigningRequest and ClusterTrustBundle. It
// follows kubernetes/kubernetes:pkg/apis/certificates and the strategies of pkg/registry.
package certificates

import (
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", certificateSigningRequest),
			rules.Hub(certificatesv1.SchemeGroupVersion, "ClusterTrustBundle", clusterTrustBundle),
			rules.Hub(certificatesv1beta1.SchemeGroupVersion, "PodCertificateRequest", podCertificateRequest),
		},
		Versions: []*rules.Version{
			rules.Reshape(certificatesv1beta1.SchemeGroupVersion, certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", defaultSigningRequestV1beta1),
			// v1beta1 has all fields of the other versions.
			rules.Reshape[*certificatesv1.PodCertificateRequest](certificatesv1.SchemeGroupVersion, certificatesv1beta1.SchemeGroupVersion, "PodCertificateRequest", nil),
			rules.Reshape[*builtin.PodCertificateRequest](builtin.CertificatesV1alpha1, certificatesv1beta1.SchemeGroupVersion, "PodCertificateRequest", nil),
		},
	}
}
