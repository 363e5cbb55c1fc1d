package access

import (
	"bytes"
	"context"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// CertificateSigning lets only users who may sign for a signer issue its certificates (CS-01, CS-02).
type CertificateSigning struct{ signers }

func NewCertificateSigning(by authorizer.UnconditionalAuthorizer) CertificateSigning {
	return CertificateSigning{signers{by}}
}

func (p CertificateSigning) Validate(ctx context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.ConcernsSub(req, certificatesv1.GroupName, "certificatesigningrequests", "status") {
		return plugin.Skip(step, "not the status of a certificate request"), nil
	}
	now, err := plugin.ObjectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	old, err := plugin.OldObjectOf[*certificatesv1.CertificateSigningRequest](req)
	if err != nil {
		return step, err
	}
	if bytes.Equal(now.Status.Certificate, old.Status.Certificate) &&
		semantic.DeepEqual(now.Status.Conditions, old.Status.Conditions) {
		return plugin.Skip(step, "certificate and conditions stay as they are"), nil
	}
	return p.judge(ctx, step, req, "sign", old.Spec.SignerName, "user not permitted to sign requests with signerName"), nil
}
