package plugins

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// clusterTrustBundleAttest lets those write trust bundles who may speak for the signer that
// they are for (CTB-01, CTB-02).
type clusterTrustBundleAttest struct {
	signers
	types   *objects.Types
	enabled bool
}

func newClusterTrustBundleAttest(o Options) (any, error) {
	return clusterTrustBundleAttest{signers{o.Authorizer}, o.Types, o.Release.Enabled("ClusterTrustBundle")}, nil
}

func (p clusterTrustBundleAttest) Validate(ctx context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	switch {
	case !p.enabled:
		return skip(step, "feature gate ClusterTrustBundle is off"), nil
	case req.Resource.Group != certificatesv1.GroupName || req.Resource.Resource != "clustertrustbundles":
		return skip(step, "not a trust bundle"), nil
	}
	signer, err := p.signerOf(req.Object)
	if err != nil {
		return step, err
	}
	if signer == "" {
		return skip(step, "the bundle is for no signer"), nil
	}
	if req.Operation == admissionv1.Update {
		if same, err := sameButForCollection(req.Object, req.OldObject); err != nil || same {
			return skip(step, "only who owns the bundle and what holds it changes"), err
		}
	}
	return p.judge(ctx, step, req, "attest", signer, "user not permitted to attest for signerName"), nil
}

func (p clusterTrustBundleAttest) signerOf(object runtime.Object) (string, error) {
	converted, err := p.types.Convert(object, certificatesv1.SchemeGroupVersion.WithKind("ClusterTrustBundle"))
	if err != nil {
		return "", err
	}
	return converted.(*certificatesv1.ClusterTrustBundle).Spec.SignerName, nil
}

// sameButForCollection reports whether two objects differ in nothing but what the garbage
// collector looks after (PSP-01).
func sameButForCollection(object, old runtime.Object) (bool, error) {
	object = object.DeepCopyObject()
	m, err := meta.Accessor(object)
	if err != nil {
		return false, err
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return false, err
	}
	m.SetOwnerReferences(before.GetOwnerReferences())
	m.SetFinalizers(before.GetFinalizers())
	m.SetManagedFields(before.GetManagedFields())
	m.SetSelfLink(before.GetSelfLink())
	return semantic.DeepEqual(object, old), nil
}
