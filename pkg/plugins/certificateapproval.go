package plugins

import (
	"context"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// certificateApproval lets those approve certificate requests who may speak for the signer
// (CA-01).
type certificateApproval struct{ signers }

func newCertificateApproval(o Options) (any, error) {
	return certificateApproval{signers{o.Authorizer}}, nil
}

func (p certificateApproval) Validate(ctx context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	if !concernsSub(req, certificatesv1.GroupName, "certificatesigningrequests", "approval") {
		return skip(step, "not the approval of a certificate request"), nil
	}
	old, err := oldObjectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	return p.judge(ctx, step, req, "approve", old.Spec.SignerName, "user not permitted to approve requests with signerName"), nil
}
