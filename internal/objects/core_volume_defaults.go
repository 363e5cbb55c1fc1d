package objects

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
)

const fileMode = int32(0o644)

// defaultVolume sets the defaults of a pod's volume (DF-05).
func defaultVolume(v *corev1.Volume) {
	if reflect.ValueOf(v.VolumeSource).IsZero() {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	if s := v.Image; s != nil {
		if s.PullPolicy == "" {
			s.PullPolicy = pullPolicy(s.Reference)
		}
	}
	if s := v.HostPath; s != nil {
		setDefault(&s.Type, corev1.HostPathUnset)
	}
	if s := v.Secret; s != nil {
		setDefault(&s.DefaultMode, fileMode)
	}
	if s := v.ConfigMap; s != nil {
		setDefault(&s.DefaultMode, fileMode)
	}
	if s := v.DownwardAPI; s != nil {
		setDefault(&s.DefaultMode, fileMode)
		defaultDownwardAPI(s.Items)
	}
	if s := v.Projected; s != nil {
		setDefault(&s.DefaultMode, fileMode)
		for i := range s.Sources {
			defaultProjection(&s.Sources[i])
		}
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
	if s := v.Ephemeral; s != nil && s.VolumeClaimTemplate != nil {
		defaultClaimSpec(&s.VolumeClaimTemplate.Spec)
	}
}

func defaultProjection(p *corev1.VolumeProjection) {
	if s := p.ServiceAccountToken; s != nil {
		setDefault(&s.ExpirationSeconds, 3600)
	}
	if s := p.DownwardAPI; s != nil {
		defaultDownwardAPI(s.Items)
	}
}

func defaultDownwardAPI(files []corev1.DownwardAPIVolumeFile) {
	for i := range files {
		defaultFieldRef(files[i].FieldRef)
	}
}

func defaultRBD(pool, user, keyring *string) {
	setZero(pool, "rbd")
	setZero(user, "admin")
	setZero(keyring, "/etc/ceph/keyring")
}

func defaultAzureDisk(s *corev1.AzureDiskVolumeSource) {
	if s == nil {
		return
	}
	setDefault(&s.CachingMode, corev1.AzureDataDiskCachingReadWrite)
	setDefault(&s.Kind, corev1.AzureSharedBlobDisk)
	setDefault(&s.FSType, "ext4")
	setDefault(&s.ReadOnly, false)
}
