package resources

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// PersistentVolumeClaimResize lets claims grow only if their storage class allows it (PVR-01 to PVR-05).
type PersistentVolumeClaimResize struct{ release *kubeversion.Release }

func NewPersistentVolumeClaimResize(r *kubeversion.Release) PersistentVolumeClaimResize {
	return PersistentVolumeClaimResize{r}
}

func (p PersistentVolumeClaimResize) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "persistentvolumeclaims") {
		return plugin.Skip(step, "not a persistent volume claim"), nil
	}
	claim, err := plugin.ObjectOf[*corev1.PersistentVolumeClaim](req)
	if err != nil {
		return step, err
	}
	old, err := plugin.OldObjectOf[*corev1.PersistentVolumeClaim](req)
	if err != nil {
		return step, err
	}
	size := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	if size.Cmp(old.Spec.Resources.Requests[corev1.ResourceStorage]) <= 0 {
		return plugin.Skip(step, "the claim does not grow"), nil
	}
	if old.Status.Phase != corev1.ClaimBound { // PVR-02
		step.Hint = "whether a claim is bound is what its status.phase says, which a controller writes"
		return plugin.Forbid(step, req, "Only bound persistent volume claims can be expanded"), nil
	}

	name := plugin.StorageClassOf(claim)
	class, ok := s.Find(cluster.Key{GroupKind: storageClassKind, Name: name})
	step = plugin.DecidedBy(step, class)
	because := ""
	switch {
	case name == "":
		because = "the claim has no storage class"
	case name != plugin.StorageClassOf(old):
		because = "the storage class changes, too"
	case !ok:
		because = "there is no storage class " + name
		step = plugin.Lacking(step, "StorageClass", "", name)
	case !expandable(class):
		because = "storage class " + name + " does not allow volumes to grow"
		step.Hint = "set allowVolumeExpansion: true in the StorageClass"
	default:
		return p.kindGrows(s, req, claim, step), nil
	}
	return plugin.Deny(step, because, admission.Forbidden(req,
		"only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize")), nil
}

// kindGrows refuses volumes of a kind that cannot grow, in releases that check it (PVR-05).
func (p PersistentVolumeClaimResize) kindGrows(s *cluster.State, req admission.Request, claim *corev1.PersistentVolumeClaim, step trace.Step) trace.Step {
	allowed := plugin.Allow(step, "storage class "+plugin.StorageClassOf(claim)+" allows volumes to grow")
	if p.release.Has(kubeversion.AnyVolumeGrows) {
		return allowed
	}
	name := claim.Spec.VolumeName
	found, _ := s.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "PersistentVolume"}, Name: name})
	volume, ok := found.Object.(*corev1.PersistentVolume)
	if !ok {
		step = plugin.Lacking(step, "PersistentVolume", "", name)
		return plugin.Forbid(step, req, "Error updating persistent volume claim because fetching associated persistent volume failed")
	}
	v := volume.Spec.PersistentVolumeSource
	grows := v.Glusterfs != nil || v.Cinder != nil || v.RBD != nil || v.GCEPersistentDisk != nil || v.AWSElasticBlockStore != nil || v.AzureFile != nil
	if p.release.Has(kubeversion.MoreVolumesGrow) {
		grows = grows || v.PortworxVolume != nil || v.AzureDisk != nil
	}
	if !grows {
		return plugin.Forbid(plugin.DecidedBy(step, found), req, "volume plugin does not support resize")
	}
	return allowed
}

func expandable(o cluster.Object) bool {
	class, ok := o.Object.(*storagev1.StorageClass)
	return ok && class.AllowVolumeExpansion != nil && *class.AllowVolumeExpansion
}
