package plugins

import (
	"context"
	"slices"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// certificateSubjectRestriction refuses requests for client certificates that would make
// their owner a master of the cluster (CSB-01).
type certificateSubjectRestriction struct{}

func (certificateSubjectRestriction) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	if !concerns(req, certificatesv1.GroupName, "certificatesigningrequests") {
		return skip(step, "not a certificate request"), nil
	}
	csr, err := objectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	if csr.Spec.SignerName != certificatesv1.KubeAPIServerClientSignerName {
		return skip(step, "the signer is not "+certificatesv1.KubeAPIServerClientSignerName), nil
	}
	asked, err := parseCertificateRequest(csr.Spec.Request)
	if err != nil {
		return forbid(step, req, "failed to parse CSR: "+err.Error()), nil
	}
	if slices.Contains(asked.Subject.Organization, user.SystemPrivilegedGroup) {
		return forbid(step, req, "use of "+certificatesv1.KubeAPIServerClientSignerName+" signer with "+user.SystemPrivilegedGroup+" group is not allowed"), nil
	}
	return allow(step, "the subject is in no privileged group"), nil
}
