package objects

import (
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
)

// certificatesKinds are those of the group.
func certificatesKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", certificateSigningRequest),
			hub(certificatesv1beta1.SchemeGroupVersion, "ClusterTrustBundle", clusterTrustBundle),
		},
		Versions: []*spoke{
			reshape(certificatesv1beta1.SchemeGroupVersion, certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", defaultSigningRequestV1beta1),
		},
	}
}
