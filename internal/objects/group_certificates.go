package objects

import (
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
)

// certificatesGroup is what the server has of the group.
func certificatesGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", certificateSigningRequest),
			hub(certificatesv1beta1.SchemeGroupVersion, "ClusterTrustBundle", clusterTrustBundle),
		},
		Versions: []*spoke{
			reshape(certificatesv1beta1.SchemeGroupVersion, certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", defaultSigningRequestV1beta1),
		},
	}
}
