// kubernetes/kubernetes:pkg/registry/storage/storageclass/strategy.go
// kubernetes/kubernetes:pkg/registry/storage/csidriver/strategy.go
// kubernetes/kubernetes:pkg/registry/storage/csinode/strategy.go
// kubernetes/kubernetes:pkg/registry/storage/volumeattachment/strategy.go
// kubernetes/kubernetes:pkg/apis/storage/v1/defaults.go

package storage

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var storageClass = rules.Of[*storagev1.StorageClass]{
	TakenOver:      true,
	Validate:       validateStorageClass,
	ValidateUpdate: validateStorageClassUpdate,
	Name:           rules.DNSSubdomain,
	Defaults: func(c *storagev1.StorageClass) {
		rules.SetDefault(&c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		rules.SetDefault(&c.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	},
	WarnsSince: kubeversion.NodeLabelWarnings,
	Warnings: func(c, _ *storagev1.StorageClass, r rules.Request) []string {
		w := &pod.Warner{}
		for i, t := range c.AllowedTopologies {
			for j, e := range t.MatchLabelExpressions {
				w.OldNodeLabel(e.Key, field.NewPath("allowedTopologies").Index(i).Child("matchLabelExpressions").Index(j).Child("key"), r.Release)
			}
		}
		return w.Texts
	},
}

var csiDriver = rules.Of[*storagev1.CSIDriver]{
	Name:           rules.DNSSubdomain,
	Validate:       validateCSIDriver,
	ValidateUpdate: validateCSIDriverUpdate,
	OnUpdate:       rules.CheckChange,
	OwnMetadata:    kubeversion.CSIDriversCheckedOnce,
	CheckedOnce:    kubeversion.CSIDriversCheckedOnce,
	CreatedOnce:    kubeversion.CSIDriversCreatedOnce,
	DefaultsIn: func(d *storagev1.CSIDriver, o rules.Options) {
		if o.Release.Has(kubeversion.PreventPodSchedulingDefault) {
			rules.SetDefault(&d.Spec.PreventPodSchedulingIfMissing, false)
		}
	},
	Defaults: func(d *storagev1.CSIDriver) {
		rules.SetDefault(&d.Spec.AttachRequired, true)
		rules.SetDefault(&d.Spec.PodInfoOnMount, false)
		rules.SetDefault(&d.Spec.StorageCapacity, false)
		rules.SetDefault(&d.Spec.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
		if len(d.Spec.VolumeLifecycleModes) == 0 {
			d.Spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
		}
		rules.SetDefault(&d.Spec.RequiresRepublish, false)
		rules.SetDefault(&d.Spec.SELinuxMount, false)
	},
	// Unlike other objects, a new driver has no generation.
	PrepareForUpdate: func(d, old *storagev1.CSIDriver, r rules.Request) {
		if !semantic.DeepEqual(csiDriverGeneration(d, r), csiDriverGeneration(old, r)) {
			d.Generation = old.Generation + 1
		}
	},
	Warnings: func(d, old *storagev1.CSIDriver, r rules.Request) []string {
		if old != nil && semantic.DeepEqual(d.Spec.TokenRequests, old.Spec.TokenRequests) || !r.Release.Has(kubeversion.TokenSecretWarnings) {
			return nil
		}
		if len(d.Spec.TokenRequests) > 0 && d.Spec.ServiceAccountTokenInSecrets == nil {
			return []string{"spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"}
		}
		return nil
	},
}

// csiDriverGeneration returns the fields of a driver whose changes are counted by its generation.
func csiDriverGeneration(d *storagev1.CSIDriver, r rules.Request) any {
	if r.Release.Has(kubeversion.DriverGenerationOfSpec) {
		return d.Spec
	}
	return []any{d.Spec.TokenRequests, d.Spec.RequiresRepublish, d.Spec.SELinuxMount}
}

var csiNode = rules.Of[*storagev1.CSINode]{
	Name:        rules.DNSSubdomain,
	Status:      func(n *storagev1.CSINode) any { return &n.Status },
	StatusAlone: true,

	Validate:       validateCSINode,
	ValidateUpdate: validateCSINodeUpdate,
	OnUpdate:       rules.CheckNew,
	CheckedOnce:    kubeversion.CSINodesCheckedOnce,
	CreatedOnce:    kubeversion.CSINodesCreatedOnce,
}

var csiStorageCapacity = rules.Of[*storagev1.CSIStorageCapacity]{
	Name: rules.DNSSubdomain, Validate: validateCSICapacity, ValidateUpdate: validateCSICapacityUpdate,
	CreatedOnce: kubeversion.CSICapacitiesCheckedOnce,
	WarnsSince:  kubeversion.NodeLabelWarnings,
	Warnings: func(c, _ *storagev1.CSIStorageCapacity, r rules.Request) []string {
		if c.NodeTopology == nil {
			return nil
		}
		at, w := field.NewPath("nodeTopology"), &pod.Warner{}
		for i, e := range c.NodeTopology.MatchExpressions {
			if since, old := pod.OldNodeLabel(e.Key, r.Release); old {
				w.At(at.Child("matchExpressions").Index(i).Child("key"), "%s is %s", e.Key, since)
			}
		}
		w.OldNodeLabels(c.NodeTopology.MatchLabels, func(key string) *field.Path { return at.Child("matchLabels", key) }, r)
		return w.Texts
	},
}

var volumeAttachment = rules.Of[*storagev1.VolumeAttachment]{
	Name:        rules.DNSSubdomain,
	StatusAlone: true,
	Status:      func(a *storagev1.VolumeAttachment) any { return &a.Status },
	StatusInBody: func(r rules.Request) bool {
		return r.IsBeta() && !r.Release.Has(kubeversion.AttachmentStatusApart)
	},
	Defaults: func(a *storagev1.VolumeAttachment) {
		if s := a.Spec.Source.InlineVolumeSpec; s != nil {
			rules.RoundUp(s.Capacity)
			pod.DefaultPersistentSource(&s.PersistentVolumeSource)
		}
	},

	Validate:       validateAttachment,
	ValidateUpdate: validateAttachmentUpdate,
	OnUpdate:       rules.CheckNew,
	CheckedOnce:    kubeversion.AttachmentsCheckedOnce,
	WholeStatus:    true,
}

var volumeAttributesClass = rules.Of[*storagev1.VolumeAttributesClass]{
	Name: rules.DNSSubdomain, Validate: validateAttributesClass, ValidateUpdate: validateAttributesClassUpdate,
	CheckedTwice: kubeversion.AttributesClassesCheckedTwice, CheckedOnce: kubeversion.AttachmentsCheckedOnce,
}
