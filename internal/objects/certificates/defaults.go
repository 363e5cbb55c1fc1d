// kubernetes/kubernetes:pkg/apis/certificates/v1beta1/defaults.go

package certificates

import (
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
)

// legacyUnknown is the default signer of a request.
const legacyUnknown = "kubernetes.io/legacy-unknown"

func defaultSigningRequestV1beta1(r *certificatesv1beta1.CertificateSigningRequest) {
	if r.Spec.SignerName == nil {
		signer := legacyUnknown
		r.Spec.SignerName = &signer
	}
	if r.Spec.Usages == nil {
		r.Spec.Usages = []certificatesv1beta1.KeyUsage{certificatesv1beta1.UsageDigitalSignature, certificatesv1beta1.UsageKeyEncipherment}
	}
}
