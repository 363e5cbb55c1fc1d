package access

import (
	"context"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// CertificateApproval lets only users who may approve for a signer approve its certificate requests (CA-01).
type CertificateApproval struct{ signers }

func NewCertificateApproval(by authorizer.UnconditionalAuthorizer) CertificateApproval {
	return CertificateApproval{signers{by}}
}

func (p CertificateApproval) Validate(ctx context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.ConcernsSub(req, certificatesv1.GroupName, "certificatesigningrequests", "approval") {
		return plugin.Skip(step, "not the approval of a certificate request"), nil
	}
	old, err := plugin.OldObjectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	return p.judge(ctx, step, req, "approve", old.Spec.SignerName, "user not permitted to approve requests with signerName"), nil
}
