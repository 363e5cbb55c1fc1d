package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// tokens checks token requests: a kubelet gets the tokens that the pods on its node need (NR-55, NR-56).
func (r nodeRequest) tokens(ctx context.Context) (trace.Step, error) {
	if r.Operation != admissionv1.Create || r.Subresource != "token" {
		return plugin.Skip(r.step, "no token is asked for"), nil
	}
	token, err := plugin.ObjectOf[*authenticationv1.TokenRequest](r.Request)
	if err != nil {
		return r.step, err
	}
	ref := token.Spec.BoundObjectRef
	switch {
	case ref == nil || ref.APIVersion != "v1" || ref.Kind != "Pod" || ref.Name == "":
		return r.forbid("node requested token not bound to a pod"), nil
	case ref.UID == "":
		return r.forbid("node requested token with a pod binding without a uid"), nil
	}
	found, pod := r.findPod(ref.Name)
	switch {
	case pod == nil:
		return r.lacksPod(ref.Name), nil
	case pod.UID != ref.UID:
		return plugin.DecidedBy(r.forbid("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID), found), nil
	case pod.Spec.NodeName != r.node:
		return plugin.DecidedBy(r.forbid("node requested token bound to a pod scheduled on a different node"), found), nil
	case !r.release.Enabled("ServiceAccountNodeAudienceRestriction"):
		return r.fine()
	}
	return r.audience(ctx, token.Spec.Audiences, pod)
}

// audience checks that a volume of the pod needs a token for the audience, or that the kubelet is authorized to get
// one.
func (r nodeRequest) audience(ctx context.Context, audiences []string, pod *corev1.Pod) (trace.Step, error) {
	audience := ""
	switch len(audiences) {
	case 0:
	case 1:
		audience = audiences[0]
	default:
		return r.forbid("node may only request 0 or 1 audiences"), nil
	}
	wanted, err := r.wantsAudience(pod, audience)
	switch {
	case err != nil:
		step := r.forbid("error validating audience %q: %v", audience, err)
		if utilerrors.FilterOut(err, apierrors.IsNotFound) == nil {
			step.Hint = "add what was not found to the manifests"
		}
		return step, nil
	case wanted:
		return plugin.Allow(r.step, fmt.Sprintf("a volume of the pod needs a token for %q", audience)), nil
	}
	q := plugin.Question(r.Request, "request-serviceaccounts-token-audience") // NR-A1
	q.Namespace, q.APIVersion, q.Resource, q.Name = r.Namespace, "v1", audience, r.Name
	decision, _, err := r.authorizer.Authorize(ctx, q)
	switch {
	case decision == authorizer.DecisionAllow:
		return plugin.Allow(r.step, fmt.Sprintf("the node may ask for tokens for %q", audience)), nil
	case err != nil:
		if r.release.Has(kubeversion.AudienceWords) {
			return r.forbid("error authorizing %s to request tokens for audience %q: %v", r.User.Username, audience, err), nil
		}
		return r.forbid("audience %q not found in pod spec volume, error authorizing %s to request tokens for this audience: %v", audience, r.User.Username, err), nil
	}
	step := r.forbid("audience %q not found in pod spec volume, %s is not authorized to request tokens for this audience", audience, r.User.Username)
	if r.release.Has(kubeversion.AudienceWords) {
		step = r.forbid("%s is not authorized to request tokens for audience %q", r.User.Username, audience)
	}
	step.Hint = fmt.Sprintf("give the pod a volume with a token for %q, or bind a role with the verb request-serviceaccounts-token-audience on it", audience)
	return step, nil
}

// wantsAudience reports whether a volume of the pod needs a token for audience. A failed lookup does not matter if
// another volume needs one.
func (r nodeRequest) wantsAudience(pod *corev1.Pod, audience string) (bool, error) {
	var errs []error
	for _, v := range pod.Spec.Volumes {
		if v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(p corev1.VolumeProjection) bool {
			return p.ServiceAccountToken != nil && p.ServiceAccountToken.Audience == audience
		}) {
			return true, nil
		}
		wants, err := r.driverWants(pod, v, audience)
		if err != nil {
			errs = append(errs, err)
		}
		if wants {
			return true, nil
		}
	}
	return false, utilerrors.NewAggregate(errs)
}

// driverWants does the same as wantsAudience for the CSI driver of a volume.
func (r nodeRequest) driverWants(pod *corev1.Pod, v corev1.Volume, audience string) (bool, error) {
	name, err := r.driverOf(pod, v)
	if name == "" || err != nil {
		return false, err
	}
	driver, ok := cluster.Get[*storagev1.CSIDriver](r.cluster, schema.GroupKind{Group: storagev1.GroupName, Kind: "CSIDriver"}, "", name)
	if !ok {
		return false, apierrors.NewNotFound(schema.GroupResource{Group: storagev1.GroupName, Resource: "csidriver"}, name)
	}
	return slices.ContainsFunc(driver.Spec.TokenRequests, func(t storagev1.TokenRequest) bool { return t.Audience == audience }), nil
}

func (r nodeRequest) driverOf(pod *corev1.Pod, v corev1.Volume) (string, error) {
	switch {
	case v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil:
		return r.driverOfClaim(pod.Namespace, pod.Name+"-"+v.Name)
	case v.PersistentVolumeClaim != nil:
		return r.driverOfClaim(pod.Namespace, v.PersistentVolumeClaim.ClaimName)
	case v.CSI != nil:
		return v.CSI.Driver, nil
	}
	return migratedTo(&inTree{
		v.GCEPersistentDisk != nil, v.AWSElasticBlockStore != nil, v.Cinder != nil, v.AzureDisk, v.AzureFile != nil,
		v.VsphereVolume != nil, v.PortworxVolume != nil,
	})
}

func (r nodeRequest) driverOfClaim(namespace, name string) (string, error) {
	claim, ok := cluster.Get[*corev1.PersistentVolumeClaim](r.cluster, schema.GroupKind{Kind: "PersistentVolumeClaim"}, namespace, name)
	if !ok {
		return "", apierrors.NewNotFound(schema.GroupResource{Resource: "persistentvolumeclaim"}, name)
	}
	volume, ok := cluster.Get[*corev1.PersistentVolume](r.cluster, schema.GroupKind{Kind: "PersistentVolume"}, "", claim.Spec.VolumeName)
	if !ok {
		return "", apierrors.NewNotFound(schema.GroupResource{Resource: "persistentvolume"}, claim.Spec.VolumeName)
	}
	v := volume.Spec.PersistentVolumeSource
	if v.CSI != nil {
		return v.CSI.Driver, nil
	}
	return migratedTo(&inTree{
		v.GCEPersistentDisk != nil, v.AWSElasticBlockStore != nil, v.Cinder != nil, v.AzureDisk, v.AzureFile != nil,
		v.VsphereVolume != nil, v.PortworxVolume != nil,
	})
}

// inTree says of which type a volume is that Kubernetes had before CSI.
type inTree struct {
	gce, aws, cinder  bool
	azureDisk         *corev1.AzureDiskVolumeSource
	azureFile         bool
	vsphere, portworx bool
}

// migratedTo returns the CSI driver that volumes of a type were migrated to, or "" if they were not
// (kubernetes/csi-translation-lib:translate.go).
func migratedTo(v *inTree) (string, error) {
	switch {
	case v.gce:
		return "pd.csi.storage.gke.io", nil
	case v.aws:
		return "ebs.csi.aws.com", nil
	case v.cinder:
		return "cinder.csi.openstack.org", nil
	case v.azureDisk != nil:
		if kind := v.azureDisk.Kind; kind != nil && !strings.EqualFold(string(*kind), string(corev1.AzureManagedDisk)) {
			return "", fmt.Errorf("kind(%v) is not supported in csi migration", *kind)
		}
		return "disk.csi.azure.com", nil
	case v.azureFile:
		return "file.csi.azure.com", nil
	case v.vsphere:
		return "csi.vsphere.vmware.com", nil
	case v.portworx:
		return "pxd.portworx.com", nil
	}
	return "", nil
}
