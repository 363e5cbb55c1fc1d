// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go

package pod

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/image"
	"github.com/admsim/admsim/internal/objects/rules"
)

const fileMode = int32(0o644)

// defaultVolume sets the defaults of a pod's volume (DF-05).
func defaultVolume(v *corev1.Volume) {
	if reflect.ValueOf(v.VolumeSource).IsZero() {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	if s := v.Image; s != nil {
		if s.PullPolicy == "" {
			s.PullPolicy = image.PullPolicy(s.Reference)
		}
	}
	if s := v.HostPath; s != nil {
		rules.SetDefault(&s.Type, corev1.HostPathUnset)
	}
	if s := v.Secret; s != nil {
		rules.SetDefault(&s.DefaultMode, fileMode)
	}
	if s := v.ConfigMap; s != nil {
		rules.SetDefault(&s.DefaultMode, fileMode)
	}
	if s := v.DownwardAPI; s != nil {
		rules.SetDefault(&s.DefaultMode, fileMode)
		defaultDownwardAPI(s.Items)
	}
	if s := v.Projected; s != nil {
		rules.SetDefault(&s.DefaultMode, fileMode)
		for i := range s.Sources {
			defaultProjection(&s.Sources[i])
		}
	}
	if s := v.ISCSI; s != nil {
		rules.SetZero(&s.ISCSIInterface, "default")
	}
	if s := v.RBD; s != nil {
		defaultRBD(&s.RBDPool, &s.RadosUser, &s.Keyring)
	}
	defaultAzureDisk(v.AzureDisk)
	if s := v.ScaleIO; s != nil {
		rules.SetZero(&s.StorageMode, "ThinProvisioned")
		rules.SetZero(&s.FSType, "xfs")
	}
	if s := v.Ephemeral; s != nil && s.VolumeClaimTemplate != nil {
		rules.DefaultClaimSpec(&s.VolumeClaimTemplate.Spec)
	}
}

func defaultProjection(p *corev1.VolumeProjection) {
	if s := p.ServiceAccountToken; s != nil {
		rules.SetDefault(&s.ExpirationSeconds, 3600)
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
	rules.SetZero(pool, "rbd")
	rules.SetZero(user, "admin")
	rules.SetZero(keyring, "/etc/ceph/keyring")
}

func defaultAzureDisk(s *corev1.AzureDiskVolumeSource) {
	if s == nil {
		return
	}
	rules.SetDefault(&s.CachingMode, corev1.AzureDataDiskCachingReadWrite)
	rules.SetDefault(&s.Kind, corev1.AzureSharedBlobDisk)
	rules.SetDefault(&s.FSType, "ext4")
	rules.SetDefault(&s.ReadOnly, false)
}

// DefaultPersistentSource sets the defaults of DF-05 that pod volumes and persistent volumes share.
func DefaultPersistentSource(v *corev1.PersistentVolumeSource) {
	if s := v.HostPath; s != nil {
		rules.SetDefault(&s.Type, corev1.HostPathUnset)
	}
	if s := v.ISCSI; s != nil {
		rules.SetZero(&s.ISCSIInterface, "default")
	}
	if s := v.RBD; s != nil {
		defaultRBD(&s.RBDPool, &s.RadosUser, &s.Keyring)
	}
	defaultAzureDisk(v.AzureDisk)
	if s := v.ScaleIO; s != nil {
		rules.SetZero(&s.StorageMode, "ThinProvisioned")
		rules.SetZero(&s.FSType, "xfs")
	}
}
