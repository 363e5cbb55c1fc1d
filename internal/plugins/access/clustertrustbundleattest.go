package access

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// ClusterTrustBundleAttest lets only users who may attest for a signer write its trust bundles (CTB-01, CTB-02).
type ClusterTrustBundleAttest struct {
	signers
	types   *objects.Types
	enabled bool
}

func NewClusterTrustBundleAttest(r *kubeversion.Release, types *objects.Types, by authorizer.UnconditionalAuthorizer) ClusterTrustBundleAttest {
	return ClusterTrustBundleAttest{signers{by}, types, r.Enabled("ClusterTrustBundle")}
}

func (p ClusterTrustBundleAttest) Validate(ctx context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case !p.enabled:
		return plugin.Skip(step, "feature gate ClusterTrustBundle is off"), nil
	case req.Resource.Group != certificatesv1.GroupName || req.Resource.Resource != "clustertrustbundles":
		return plugin.Skip(step, "not a trust bundle"), nil
	}
	signer, err := p.signerOf(req.Object)
	if err != nil {
		return step, err
	}
	if signer == "" {
		return plugin.Skip(step, "the bundle is for no signer"), nil
	}
	if req.Operation == admissionv1.Update {
		if same, err := plugin.SameButForCollection(req.Object, req.OldObject); err != nil || same {
			return plugin.Skip(step, "only who owns the bundle and what holds it changes"), err
		}
	}
	return p.judge(ctx, step, req, "attest", signer, "user not permitted to attest for signerName"), nil
}

func (p ClusterTrustBundleAttest) signerOf(object runtime.Object) (string, error) {
	converted, err := p.types.Convert(object, certificatesv1.SchemeGroupVersion.WithKind("ClusterTrustBundle"))
	if err != nil {
		return "", err
	}
	return converted.(*certificatesv1.ClusterTrustBundle).Spec.SignerName, nil
}
