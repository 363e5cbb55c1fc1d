package plugins

import (
	"bytes"
	"context"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// certificateSigning lets those issue certificates who may speak for the signer (CS-01,
// CS-02).
type certificateSigning struct{ signers }

func newCertificateSigning(o Options) (any, error) {
	return certificateSigning{signers{o.Authorizer}}, nil
}

func (p certificateSigning) Validate(ctx context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	if !concernsSub(req, certificatesv1.GroupName, "certificatesigningrequests", "status") {
		return skip(step, "not the status of a certificate request"), nil
	}
	now, err := objectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	old, err := oldObjectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	if bytes.Equal(now.Status.Certificate, old.Status.Certificate) &&
		semantic.DeepEqual(now.Status.Conditions, old.Status.Conditions) {
		return skip(step, "certificate and conditions stay as they are"), nil
	}
	return p.judge(ctx, step, req, "sign", old.Spec.SignerName, "user not permitted to sign requests with signerName"), nil
}
