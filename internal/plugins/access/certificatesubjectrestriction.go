package access

import (
	"context"
	"slices"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// CertificateSubjectRestriction refuses requests for client certificates that would make their owner a member of
// system:masters (CSB-01).
type CertificateSubjectRestriction struct{}

func (CertificateSubjectRestriction) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, certificatesv1.GroupName, "certificatesigningrequests") {
		return plugin.Skip(step, "not a certificate request"), nil
	}
	csr, err := plugin.ObjectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	if csr.Spec.SignerName != certificatesv1.KubeAPIServerClientSignerName {
		return plugin.Skip(step, "the signer is not "+certificatesv1.KubeAPIServerClientSignerName), nil
	}
	asked, err := parseCertificateRequest(csr.Spec.Request)
	if err != nil {
		return plugin.Forbid(step, req, "failed to parse CSR: "+err.Error()), nil
	}
	if slices.Contains(asked.Subject.Organization, user.SystemPrivilegedGroup) {
		return plugin.Forbid(step, req, "use of "+certificatesv1.KubeAPIServerClientSignerName+" signer with "+user.SystemPrivilegedGroup+" group is not allowed"), nil
	}
	return plugin.Allow(step, "the subject is in no privileged group"), nil
}
