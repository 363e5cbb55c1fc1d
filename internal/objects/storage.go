package objects

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var storageClass = rules[*storagev1.StorageClass]{
	validate:       validateStorageClass,
	validateUpdate: validateStorageClassUpdate,
	name:           dnsSubdomain,
	defaults: func(c *storagev1.StorageClass) {
		setDefault(&c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		setDefault(&c.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	},
}

var csiDriver = rules[*storagev1.CSIDriver]{
	name:           dnsSubdomain,
	validate:       validateCSIDriver,
	validateUpdate: validateCSIDriverUpdate,
	onUpdate:       checkKind,
	defaults: func(d *storagev1.CSIDriver) {
		setDefault(&d.Spec.AttachRequired, true)
		setDefault(&d.Spec.PodInfoOnMount, false)
		setDefault(&d.Spec.StorageCapacity, false)
		setDefault(&d.Spec.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
		if len(d.Spec.VolumeLifecycleModes) == 0 {
			d.Spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
		}
		setDefault(&d.Spec.RequiresRepublish, false)
		setDefault(&d.Spec.SELinuxMount, false)
	},
	// Unlike others, a new driver has no generation.
	prepareForUpdate: func(d, old *storagev1.CSIDriver, r request) {
		if !semantic.DeepEqual(csiDriverGeneration(d, r), csiDriverGeneration(old, r)) {
			d.Generation = old.Generation + 1
		}
	},
	warnings: func(d, old *storagev1.CSIDriver, r request) []string {
		if old != nil && semantic.DeepEqual(d.Spec.TokenRequests, old.Spec.TokenRequests) || !r.Release.Has(kubeversion.TokenSecretWarnings) {
			return nil
		}
		if len(d.Spec.TokenRequests) > 0 && d.Spec.ServiceAccountTokenInSecrets == nil {
			return []string{"spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"}
		}
		return nil
	},
}

// csiDriverGeneration are the fields of a driver that its generation counts changes of.
func csiDriverGeneration(d *storagev1.CSIDriver, r request) any {
	if r.Release.Has(kubeversion.DriverGenerationOfSpec) {
		return d.Spec
	}
	return []any{d.Spec.TokenRequests, d.Spec.RequiresRepublish, d.Spec.SELinuxMount}
}

var csiNode = rules[*storagev1.CSINode]{name: dnsSubdomain, validate: validateCSINode, validateUpdate: validateCSINodeUpdate, onUpdate: checkNew}

var csiStorageCapacity = rules[*storagev1.CSIStorageCapacity]{
	name: dnsSubdomain, validate: validateCSICapacity, validateUpdate: validateCSICapacityUpdate,
}

var volumeAttachment = rules[*storagev1.VolumeAttachment]{
	name:        dnsSubdomain,
	statusAlone: true,
	status:      func(a *storagev1.VolumeAttachment) any { return &a.Status },

	validate:       validateAttachment,
	validateUpdate: validateAttachmentUpdate,
	onUpdate:       checkNew,
	wholeStatus:    true,
}

var volumeAttributesClass = rules[*storagev1.VolumeAttributesClass]{
	name: dnsSubdomain, validate: validateAttributesClass, validateUpdate: validateAttributesClassUpdate,
}
