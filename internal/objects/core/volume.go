// kubernetes/kubernetes:pkg/registry/core/persistentvolume/strategy.go
// kubernetes/kubernetes:pkg/registry/core/persistentvolumeclaim/strategy.go
// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go

package core

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var persistentVolume = rules.Of[*corev1.PersistentVolume]{
	OnUpdate:       rules.CheckTwice,
	Validate:       validateVolume,
	ValidateUpdate: validateVolumeUpdate,
	Warnings:       volumeWarnings,
	WarnsSince:     kubeversion.NodeLabelWarnings,
	Name:           rules.DNSSubdomain,
	Status:         func(v *corev1.PersistentVolume) any { return &v.Status },
	Defaults: func(v *corev1.PersistentVolume) {
		rules.SetZero(&v.Status.Phase, corev1.VolumePending)
		rules.SetZero(&v.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
		rules.SetDefault(&v.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		rules.RoundUp(v.Spec.Capacity)
		pod.DefaultPersistentSource(&v.Spec.PersistentVolumeSource)
	},
	PrepareForCreate: func(v *corev1.PersistentVolume, r rules.Request) {
		v.Status = corev1.PersistentVolumeStatus{}
		if r.Release.Has(kubeversion.VolumePhaseTimes) {
			now := metav1.NewTime(r.Now)
			v.Status.Phase, v.Status.LastPhaseTransitionTime = corev1.VolumePending, &now
		}
	},
	PrepareForUpdate: func(v, old *corev1.PersistentVolume, r rules.Request) {
		if r.Subresource == "status" && r.Release.Has(kubeversion.VolumePhaseTimes) {
			setPhaseTime(&v.Status, old.Status, r)
		}
	},
}

// setPhaseTime sets the time at which the phase changed, unless the request does.
func setPhaseTime(s *corev1.PersistentVolumeStatus, old corev1.PersistentVolumeStatus, r rules.Request) {
	last := s.LastPhaseTransitionTime
	switch {
	case s.Phase == old.Phase && last == nil:
		s.LastPhaseTransitionTime = old.LastPhaseTransitionTime
	case s.Phase != old.Phase && (last == nil || last.Equal(old.LastPhaseTransitionTime)):
		now := metav1.NewTime(r.Now)
		s.LastPhaseTransitionTime = &now
	}
}

// The phase of a new claim is not stored: it is set again by the defaults when the claim is read (PC-06).
var persistentVolumeClaim = rules.Of[*corev1.PersistentVolumeClaim]{
	CheckedOnce:    kubeversion.ClaimsCheckedOnce,
	Validate:       validateClaim,
	ValidateUpdate: validateClaimUpdate,
	Warnings: func(c, _ *corev1.PersistentVolumeClaim, r rules.Request) []string {
		w := &pod.Warner{}
		w.Claim(&c.Spec, rules.SpecPath)
		return append(classAnnotationWarnings(c.Annotations, r), w.Texts...)
	},
	WarnsSince: kubeversion.ClaimWarnings,
	Name:       rules.DNSSubdomain,
	Status:     func(c *corev1.PersistentVolumeClaim) any { return &c.Status },
	Defaults:   rules.DefaultClaim,
	PrepareForCreate: func(c *corev1.PersistentVolumeClaim, r rules.Request) {
		rules.SetFormer(c, nil, deviceClaimsPath)
		dropDistantSource(&c.Spec, r)
		dropForeignSource(&c.Spec, r)
		sameDataSource(&c.Spec, r.Release)
	},
	PrepareForUpdate: func(c, old *corev1.PersistentVolumeClaim, r rules.Request) {
		if r.Subresource != "" {
			return
		}
		rules.SetFormer(c, nil, deviceClaimsPath)
		if old.Spec.DataSourceRef == nil {
			dropDistantSource(&c.Spec, r)
		}
		if old.Spec.DataSource == nil && old.Spec.DataSourceRef == nil {
			dropForeignSource(&c.Spec, r)
		}
		sameDataSource(&c.Spec, r.Release)
	},
}

// resizeStatus returns the state of the expansion of a claim in the releases that have one for all resources (1.23 to
// 1.27).
func resizeStatus(c *corev1.PersistentVolumeClaim) *builtin.PersistentVolumeClaimResizeStatus {
	return rules.Former[*builtin.PersistentVolumeClaimResizeStatus](c.Annotations, "status.resizeStatus")
}

// deviceClaims returns the claims for devices that a claim for a volume may have in some releases (1.26 to 1.28). Objects
// of the first of them may be stored with such claims. Later, they were accepted and dropped.
func deviceClaims(c *corev1.PersistentVolumeClaim) []corev1.ResourceClaim {
	return rules.Former[[]corev1.ResourceClaim](c.Annotations, deviceClaimsPath)
}

const deviceClaimsPath = "spec.resources.claims"

// dropDistantSource drops a source in another namespace, unless the gate for such sources is on.
func dropDistantSource(s *corev1.PersistentVolumeClaimSpec, r rules.Request) {
	const gate = "CrossNamespaceVolumeDataSource"
	if ref := s.DataSourceRef; !r.Release.Enabled(gate) && ref != nil && ref.Namespace != nil && *ref.Namespace != "" {
		s.DataSourceRef = nil
		r.Drops("spec.dataSourceRef", gate)
	}
}

// dropForeignSource drops what the older of two fields cannot hold, unless the newer field is also set. Up to 1.17, gates
// decide what it can hold (PC-06a).
func dropForeignSource(s *corev1.PersistentVolumeClaimSpec, r rules.Request) {
	if s.DataSource == nil || s.DataSourceRef != nil || !r.Release.Has(kubeversion.DisabledDataSourcesDropped) {
		return
	}
	const path, snapshots, claims = "spec.dataSource", "VolumeSnapshotDataSource", "VolumePVCDataSource"
	drop := func(gate string) {
		if r.Release.Disabled(gate) {
			s.DataSource = nil
			r.Drops(path, gate)
		}
	}
	if !r.Release.Has(kubeversion.DataSourcesByKind) {
		drop(snapshots)
		return
	}
	group := ""
	if s.DataSource.APIGroup != nil {
		group = *s.DataSource.APIGroup
	}
	switch (schema.GroupKind{Group: group, Kind: s.DataSource.Kind}) {
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		drop(claims)
	case schema.GroupKind{Group: "snapshot.storage.k8s.io", Kind: "VolumeSnapshot"}:
		drop(snapshots)
	default:
		s.DataSource = nil
		r.DropsBecause(path, "it can only name a PersistentVolumeClaim or a VolumeSnapshot")
	}
}

// sameDataSource synchronizes the two fields for the content of a new volume.
func sameDataSource(s *corev1.PersistentVolumeClaimSpec, r *kubeversion.Release) {
	switch {
	case !r.Has(kubeversion.AnyDataSource):
	case s.DataSource != nil && s.DataSourceRef == nil:
		s.DataSourceRef = &corev1.TypedObjectReference{Kind: s.DataSource.Kind, Name: s.DataSource.Name}
		if s.DataSource.APIGroup != nil {
			group := *s.DataSource.APIGroup
			s.DataSourceRef.APIGroup = &group
		}
	case s.DataSource == nil && s.DataSourceRef != nil && (s.DataSourceRef.Namespace == nil || *s.DataSourceRef.Namespace == ""):
		s.DataSource = &corev1.TypedLocalObjectReference{Kind: s.DataSourceRef.Kind, Name: s.DataSourceRef.Name}
		if s.DataSourceRef.APIGroup != nil {
			group := *s.DataSourceRef.APIGroup
			s.DataSource.APIGroup = &group
		}
	}
}

// volumeWarnings returns warnings about removed and deprecated features.
func volumeWarnings(v, _ *corev1.PersistentVolume, r rules.Request) []string {
	if r.Subresource == "status" {
		return nil
	}
	warnings := classAnnotationWarnings(v.Annotations, r)
	warn := func(is bool, message string) {
		if is {
			warnings = append(warnings, message)
		}
	}
	s := &v.Spec
	warn(r.Release.Has(kubeversion.MountOptionsWarnings) && rules.Has(v.Annotations, "volume.beta.kubernetes.io/mount-options"), `metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead`)
	warn(r.Release.Has(kubeversion.RecycleWarnings) && s.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRecycle, "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
	if s.NodeAffinity != nil && s.NodeAffinity.Required != nil {
		at := rules.SpecPath.Child("nodeAffinity", "required", "nodeSelectorTerms")
		for i, t := range s.NodeAffinity.Required.NodeSelectorTerms {
			for j, e := range t.MatchExpressions {
				since, old := pod.OldNodeLabel(e.Key, r.Release)
				warn(old, fmt.Sprintf("%s: %s is %s", at.Index(i).Child("matchExpressions").Index(j).Child("key"), e.Key, since))
			}
		}
	}
	if !r.Release.Has(kubeversion.OldStorageWarnings) {
		return warnings
	}
	warn(s.CephFS != nil, "spec.cephfs: deprecated in v1.28, non-functional in v1.31+")
	warn(s.PhotonPersistentDisk != nil, "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+")
	warn(s.ScaleIO != nil, "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+")
	warn(s.StorageOS != nil, "spec.storageOS: deprecated in v1.22, non-functional in v1.25+")
	warn(s.Glusterfs != nil, "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+")
	warn(s.RBD != nil, "spec.rbd: deprecated in v1.28, non-functional in v1.31+")
	return warnings
}
