// Package certificates has the rules of CertificateSigningRequest and ClusterTrustBundle. It
// follows kubernetes/kubernetes:pkg/apis/certificates and the strategies of pkg/registry.
package certificates

import (
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", certificateSigningRequest),
			rules.Hub(certificatesv1beta1.SchemeGroupVersion, "ClusterTrustBundle", clusterTrustBundle),
		},
		Versions: []*rules.Version{
			rules.Reshape(certificatesv1beta1.SchemeGroupVersion, certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", defaultSigningRequestV1beta1),
		},
	}
}
