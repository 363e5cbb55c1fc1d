package objects

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var persistentVolume = rules[*corev1.PersistentVolume]{
	onUpdate:       checkTwice,
	validate:       validateVolume,
	validateUpdate: validateVolumeUpdate,
	warnings:       func(v, _ *corev1.PersistentVolume, _ request) []string { return classAnnotationWarnings(v.Annotations) },
	name:           dnsSubdomain,
	status:         func(v *corev1.PersistentVolume) any { return &v.Status },
	defaults: func(v *corev1.PersistentVolume) {
		setZero(&v.Status.Phase, corev1.VolumePending)
		setZero(&v.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
		setDefault(&v.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		roundUp(v.Spec.Capacity)
		defaultPersistentSource(&v.Spec.PersistentVolumeSource)
	},
	prepareForCreate: func(v *corev1.PersistentVolume, r request) {
		now := metav1.NewTime(r.Now)
		v.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: &now}
	},
	prepareForUpdate: func(v, old *corev1.PersistentVolume, r request) {
		if r.Subresource == "status" && v.Status.Phase != old.Status.Phase && v.Status.LastPhaseTransitionTime == nil {
			now := metav1.NewTime(r.Now)
			v.Status.LastPhaseTransitionTime = &now
		}
	},
}

// defaultPersistentSource sets the defaults of 2.4.4 that sources of volumes share.
func defaultPersistentSource(v *corev1.PersistentVolumeSource) {
	if s := v.HostPath; s != nil {
		setDefault(&s.Type, corev1.HostPathUnset)
	}
	if s := v.ISCSI; s != nil {
		setZero(&s.ISCSIInterface, "default")
	}
	if s := v.RBD; s != nil {
		defaultRBD(&s.RBDPool, &s.RadosUser, &s.Keyring)
	}
	defaultAzureDisk(v.AzureDisk)
	if s := v.ScaleIO; s != nil {
		setZero(&s.StorageMode, "ThinProvisioned")
		setZero(&s.FSType, "xfs")
	}
}

// The phase of a new claim is not stored: it comes back with the defaults when it is read
// (2.2).
var persistentVolumeClaim = rules[*corev1.PersistentVolumeClaim]{
	validate:       validateClaim,
	validateUpdate: validateClaimUpdate,
	warnings: func(c, _ *corev1.PersistentVolumeClaim, _ request) []string {
		w := &warner{}
		w.wholeBytes(c.Spec.Resources.Requests, corev1.ResourceStorage, field.NewPath("spec", "resources", "requests"))
		return append(classAnnotationWarnings(c.Annotations), w.texts...)
	},
	name:     dnsSubdomain,
	status:   func(c *corev1.PersistentVolumeClaim) any { return &c.Status },
	defaults: defaultClaim,
	prepareForCreate: func(c *corev1.PersistentVolumeClaim, _ request) {
		if ref := c.Spec.DataSourceRef; ref != nil && ref.Namespace != nil && *ref.Namespace != "" {
			c.Spec.DataSourceRef = nil // the gate CrossNamespaceVolumeDataSource is off
		}
		dropForeignSource(&c.Spec)
		sameDataSource(&c.Spec)
	},
	prepareForUpdate: func(c, old *corev1.PersistentVolumeClaim, r request) {
		if r.Subresource != "" {
			return
		}
		if old.Spec.DataSource == nil && old.Spec.DataSourceRef == nil {
			dropForeignSource(&c.Spec)
		}
		sameDataSource(&c.Spec)
	},
}

func defaultClaim(c *corev1.PersistentVolumeClaim) {
	setZero(&c.Status.Phase, corev1.ClaimPending)
	roundUp(c.Status.Capacity, c.Status.AllocatedResources)
	defaultClaimSpec(&c.Spec)
}

func defaultClaimSpec(s *corev1.PersistentVolumeClaimSpec) {
	setDefault(&s.VolumeMode, corev1.PersistentVolumeFilesystem)
	roundUp(s.Resources.Limits, s.Resources.Requests)
}

// dropForeignSource drops what the older of two fields cannot hold, unless the newer one
// is there too.
func dropForeignSource(s *corev1.PersistentVolumeClaimSpec) {
	if s.DataSource == nil || s.DataSourceRef != nil {
		return
	}
	group := ""
	if s.DataSource.APIGroup != nil {
		group = *s.DataSource.APIGroup
	}
	switch (schema.GroupKind{Group: group, Kind: s.DataSource.Kind}) {
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}, schema.GroupKind{Group: "snapshot.storage.k8s.io", Kind: "VolumeSnapshot"}:
	default:
		s.DataSource = nil
	}
}

// sameDataSource keeps the two fields for the content of a new volume the same.
func sameDataSource(s *corev1.PersistentVolumeClaimSpec) {
	switch {
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
