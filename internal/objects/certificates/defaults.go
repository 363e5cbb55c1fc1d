// kubernetes/kubernetes:pkg/apis/certificates/v1beta1/defaults.go

package certificates

import (
	"slices"
	"strings"

	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	corev1 "k8s.io/api/core/v1"
)

func defaultSigningRequestV1beta1(r *certificatesv1beta1.CertificateSigningRequest) {
	s := &r.Spec
	if s.Usages == nil {
		s.Usages = []certificatesv1beta1.KeyUsage{certificatesv1beta1.UsageDigitalSignature, certificatesv1beta1.UsageKeyEncipherment}
	}
	if s.SignerName == nil {
		signer := signerOf(s)
		s.SignerName = &signer
	}
	for i := range r.Status.Conditions {
		if c := &r.Status.Conditions[i]; c.Status == "" {
			c.Status = corev1.ConditionTrue
		}
	}
}

// signerOf returns the signer of a request that names none: those of kubelets are recognized
// (kubernetes/kubernetes@v1.21.14:pkg/apis/certificates/helpers.go).
func signerOf(s *certificatesv1beta1.CertificateSigningRequestSpec) string {
	const legacy = certificatesv1beta1.LegacyUnknownSignerName
	csr, err := parseRequest(s.Request)
	if err != nil || !slices.Equal(csr.Subject.Organization, []string{"system:nodes"}) ||
		!strings.HasPrefix(csr.Subject.CommonName, "system:node:") || len(csr.EmailAddresses) > 0 || len(csr.URIs) > 0 {
		return legacy
	}
	isFor := func(usage certificatesv1beta1.KeyUsage) bool {
		want := []certificatesv1beta1.KeyUsage{certificatesv1beta1.UsageDigitalSignature, certificatesv1beta1.UsageKeyEncipherment, usage}
		got := slices.Compact(slices.Sorted(slices.Values(s.Usages)))
		return slices.Equal(got, slices.Sorted(slices.Values(want)))
	}
	addressed := len(csr.DNSNames) > 0 || len(csr.IPAddresses) > 0
	switch {
	case !addressed && isFor(certificatesv1beta1.UsageClientAuth):
		return certificatesv1beta1.KubeAPIServerClientKubeletSignerName
	case addressed && isFor(certificatesv1beta1.UsageServerAuth):
		return certificatesv1beta1.KubeletServingSignerName
	}
	return legacy
}
