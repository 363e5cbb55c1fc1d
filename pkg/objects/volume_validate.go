package objects

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podVolumes checks the volumes of a pod. Only those that are right are there for mounts to
// find.
func (k *podCheck) podVolumes(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	k.volumes = map[string]*corev1.VolumeSource{}
	for i := range k.spec.Volumes {
		v, at := &k.spec.Volumes[i], nth(at, i)
		wrong := k.source(v, at)
		wrong = append(wrong, given(child(at, "name"), v.Name, dns1123Label)...)
		if k.volumes[v.Name] != nil {
			wrong = append(wrong, field.Duplicate(child(at, "name"), v.Name))
		}
		if len(wrong) == 0 {
			k.volumes[v.Name] = &v.VolumeSource
		}
		errs = append(errs, wrong...)
	}
	return errs
}

// A volumeKind is one of the sources that a volume may have.
type volumeKind struct {
	name  string
	set   bool
	check func(at *field.Path) field.ErrorList
}

// source checks the source of a volume of a pod, which must have one of these.
func (k *podCheck) source(v *corev1.Volume, volume *field.Path) field.ErrorList {
	s := &v.VolumeSource
	return oneSource([]volumeKind{
		{"emptyDir", s.EmptyDir != nil, func(at *field.Path) field.ErrorList {
			if limit := s.EmptyDir.SizeLimit; limit != nil && limit.Sign() < 0 {
				return field.ErrorList{field.Forbidden(child(at, "sizeLimit"), "SizeLimit field must be a valid resource quantity")}
			}
			return nil
		}},
		{"hostPath", s.HostPath != nil, func(at *field.Path) field.ErrorList { return validateHostPath(s.HostPath, at) }},
		{"gitRepo", s.GitRepo != nil, func(at *field.Path) field.ErrorList {
			return append(required(s.GitRepo.Repository, child(at, "repository")), pathWithin(s.GitRepo.Directory, child(at, "directory"))...)
		}},
		{"gcePersistentDisk", s.GCEPersistentDisk != nil, func(at *field.Path) field.ErrorList { return gceDisk(s.GCEPersistentDisk, at) }},
		{"awsElasticBlockStore", s.AWSElasticBlockStore != nil, func(at *field.Path) field.ErrorList { return awsDisk(s.AWSElasticBlockStore, at) }},
		{"secret", s.Secret != nil, func(at *field.Path) field.ErrorList {
			errs := required(s.Secret.SecretName, child(at, "secretName"))
			return append(errs, keysToPaths(s.Secret.Items, s.Secret.DefaultMode, at)...)
		}},
		{"nfs", s.NFS != nil, func(at *field.Path) field.ErrorList { return nfs(s.NFS, at) }},
		{"iscsi", s.ISCSI != nil, func(at *field.Path) field.ErrorList {
			i := s.ISCSI
			errs := iscsi(i.TargetPortal, i.IQN, i.Lun, i.InitiatorName, (i.DiscoveryCHAPAuth || i.SessionCHAPAuth) && i.SecretRef == nil, "must be valid format starting with iqn, eui, or naa", at)
			return append(errs, unless(i.InitiatorName == nil || len(v.Name+":"+i.TargetPortal) <= maxISCSIName, child(volume, "name"), v.Name, iscsiNameTooLong)...)
		}},
		{"glusterfs", s.Glusterfs != nil, func(at *field.Path) field.ErrorList {
			return append(required(s.Glusterfs.EndpointsName, child(at, "endpoints")), required(s.Glusterfs.Path, child(at, "path"))...)
		}},
		{"flocker", s.Flocker != nil, func(at *field.Path) field.ErrorList { return flocker(s.Flocker, at) }},
		{"persistentVolumeClaim", s.PersistentVolumeClaim != nil, func(at *field.Path) field.ErrorList {
			return required(s.PersistentVolumeClaim.ClaimName, child(at, "claimName"))
		}},
		{"rbd", s.RBD != nil, func(at *field.Path) field.ErrorList { return rbd(s.RBD.CephMonitors, s.RBD.RBDImage, at) }},
		{"cinder", s.Cinder != nil, func(at *field.Path) field.ErrorList {
			return append(required(s.Cinder.VolumeID, child(at, "volumeID")), localSecret(s.Cinder.SecretRef, at)...)
		}},
		{"cephFS", s.CephFS != nil, func(at *field.Path) field.ErrorList { return cephMonitors(s.CephFS.Monitors, at) }},
		{"quobyte", s.Quobyte != nil, func(at *field.Path) field.ErrorList { return quobyte(s.Quobyte, at) }},
		{"downwarAPI", s.DownwardAPI != nil, func(at *field.Path) field.ErrorList {
			return append(modeInRange(s.DownwardAPI.DefaultMode, child(at, "defaultMode")), downwardFiles(s.DownwardAPI.Items, at, nil, nil)...)
		}},
		{"fc", s.FC != nil, func(at *field.Path) field.ErrorList { return fibreChannel(s.FC, at) }},
		{"flexVolume", s.FlexVolume != nil, func(at *field.Path) field.ErrorList { return flex(s.FlexVolume.Driver, s.FlexVolume.Options, at) }},
		{"configMap", s.ConfigMap != nil, func(at *field.Path) field.ErrorList {
			errs := required(s.ConfigMap.Name, child(at, "name"))
			return append(errs, keysToPaths(s.ConfigMap.Items, s.ConfigMap.DefaultMode, at)...)
		}},
		{"azureFile", s.AzureFile != nil, func(at *field.Path) field.ErrorList {
			return append(required(s.AzureFile.SecretName, child(at, "secretName")), required(s.AzureFile.ShareName, child(at, "shareName"))...)
		}},
		{"vsphereVolume", s.VsphereVolume != nil, func(at *field.Path) field.ErrorList {
			return required(s.VsphereVolume.VolumePath, child(at, "volumePath"))
		}},
		{"photonPersistentDisk", s.PhotonPersistentDisk != nil, func(at *field.Path) field.ErrorList {
			return required(s.PhotonPersistentDisk.PdID, child(at, "pdID"))
		}},
		{"portworxVolume", s.PortworxVolume != nil, func(at *field.Path) field.ErrorList {
			return required(s.PortworxVolume.VolumeID, child(at, "volumeID"))
		}},
		{"azureDisk", s.AzureDisk != nil, func(at *field.Path) field.ErrorList { return azureDisk(s.AzureDisk, at) }},
		{"storageos", s.StorageOS != nil, func(at *field.Path) field.ErrorList {
			return append(storageOS(s.StorageOS.VolumeName, s.StorageOS.VolumeNamespace, at), localSecret(s.StorageOS.SecretRef, at)...)
		}},
		{"projected", s.Projected != nil, func(at *field.Path) field.ErrorList { return validateProjected(s.Projected, at) }},
		{"scaleIO", s.ScaleIO != nil, func(at *field.Path) field.ErrorList {
			return scaleIO(s.ScaleIO.Gateway, s.ScaleIO.System, s.ScaleIO.VolumeName, at)
		}},
		{"csi", s.CSI != nil, func(at *field.Path) field.ErrorList {
			errs := driverName(s.CSI.Driver, child(at, "driver"))
			if ref := s.CSI.NodePublishSecretRef; ref != nil && ref.Name == "" {
				errs = append(errs, field.Required(child(at, "nodePublishSecretRef", "name"), ""))
			} else if ref != nil {
				errs = append(errs, subdomain(ref.Name, child(at, "name"))...)
			}
			return errs
		}},
		{"ephemeral", s.Ephemeral != nil, func(at *field.Path) field.ErrorList { return k.ephemeralVolume(v, volume, at) }},
		{"image", s.Image != nil, func(at *field.Path) field.ErrorList {
			var errs field.ErrorList
			if k.pod != nil {
				errs = required(s.Image.Reference, child(at, "reference"))
			}
			return append(errs, validatePullPolicy(s.Image.PullPolicy, child(at, "pullPolicy"))...)
		}},
	}, "may not specify more than 1 volume type", volume)
}

func localSecret(ref *corev1.LocalObjectReference, at *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return required(ref.Name, child(at, "secretRef", "name"))
}

// ephemeralVolume checks the template of a claim, and the name that the claim will have.
func (k *podCheck) ephemeralVolume(v *corev1.Volume, volume, at *field.Path) field.ErrorList {
	t := v.Ephemeral.VolumeClaimTemplate
	if t == nil {
		return field.ErrorList{field.Required(child(at, "volumeClaimTemplate"), "")}
	}
	at = child(at, "volumeClaimTemplate")
	errs := claimMetadata(&t.ObjectMeta, child(at, "metadata"))
	errs = append(errs, claimSpec(&t.Spec, child(at, "spec"), lenientClaim{})...)
	if k.pod == nil || k.pod.Name == "" || v.Name == "" {
		return errs
	}
	claim := k.pod.Name + "-" + v.Name
	for _, m := range dnsSubdomain(claim, false) {
		errs = append(errs, field.Invalid(child(volume, "name"), v.Name, fmt.Sprintf("PVC name %q: %v", claim, m)))
	}
	return errs
}

var hostPathTypes = []string{"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"}

func validateHostPath(h *corev1.HostPathVolumeSource, at *field.Path) field.ErrorList {
	errs := required(h.Path, child(at, "path"))
	if len(errs) == 0 {
		errs = noBacksteps(h.Path, child(at, "path"))
	}
	return append(errs, oneOf(h.Type, hostPathTypes, child(at, "type"))...)
}

// keysToPaths checks which files are made of the keys of a config map or secret.
func keysToPaths(items []corev1.KeyToPath, mode *int32, at *field.Path) field.ErrorList {
	errs := modeInRange(mode, child(at, "defaultMode"))
	for i, item := range items {
		at := nth(child(at, "items"), i)
		errs = append(errs, required(item.Key, child(at, "key"))...)
		errs = append(errs, fileName(item.Path, child(at, "path"))...)
		errs = append(errs, modeInRange(item.Mode, child(at, "mode"))...)
	}
	return errs
}

func fileName(path string, at *field.Path) field.ErrorList {
	return append(required(path, at), unreservedPath(path, at)...)
}

// unreservedPath asks for a path within a volume that begins with no two dots.
func unreservedPath(path string, at *field.Path) field.ErrorList {
	errs := pathWithin(path, at)
	return append(errs, unless(!strings.HasPrefix(path, "..") || strings.HasPrefix(path, "../"), at, path, "must not start with '..'")...)
}

func modeInRange(mode *int32, at *field.Path) field.ErrorList {
	if mode == nil || *mode >= 0 && *mode <= 0o777 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, *mode, "must be a number between 0 and 0777 (octal), both inclusive")}
}

// downwardFiles checks files that tell a container of its pod. paths, if there are any, are
// those of other files beside them.
func downwardFiles(files []corev1.DownwardAPIVolumeFile, at *field.Path, paths map[string]bool, beside *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range files {
		errs = append(errs, fileName(f.Path, child(at, "path"))...)
		switch {
		case f.FieldRef != nil:
			errs = append(errs, validateFieldPath(f.FieldRef, volumeFields, child(at, "fieldRef"))...)
			errs = append(errs, unless(f.ResourceFieldRef == nil, at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")...)
		case f.ResourceFieldRef != nil:
			errs = append(errs, resourceField(f.ResourceFieldRef, true, child(at, "resourceFieldRef"))...)
		default:
			errs = append(errs, field.Required(at, "one of fieldRef and resourceFieldRef is required"))
		}
		errs = append(errs, modeInRange(f.Mode, child(at, "mode"))...)
		if paths != nil {
			errs = append(errs, ownPath(paths, f.Path, f.Path, beside)...)
		}
	}
	return errs
}

// ownPath takes the path of a file, of which another may not have been taken; it is said of what.
func ownPath(paths map[string]bool, path, of string, at *field.Path) field.ErrorList {
	taken := paths[path]
	paths[path] = path != ""
	return unless(!taken, at, of, "conflicting duplicate paths")
}

// validateProjected checks a volume of files of several sources.
func validateProjected(p *corev1.ProjectedVolumeSource, at *field.Path) field.ErrorList {
	errs := modeInRange(p.DefaultMode, child(at, "defaultMode"))
	paths := map[string]bool{}
	for i := range p.Sources {
		errs = append(errs, projection(&p.Sources[i], paths, at, nth(child(at, "sources"), i))...)
	}
	return errs
}

// projection checks one of the sources; volume is the path of which the server says some of it.
func projection(s *corev1.VolumeProjection, paths map[string]bool, volume, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	n := 0
	keys := func(name string, items []corev1.KeyToPath, at *field.Path) {
		n++
		errs = append(errs, required(name, child(at, "name"))...)
		errs = append(errs, keysToPaths(items, nil, at)...)
		for _, item := range items {
			errs = append(errs, ownPath(paths, item.Path, name, volume)...)
		}
	}
	if s.Secret != nil {
		keys(s.Secret.Name, s.Secret.Items, child(at, "secret"))
	}
	if s.ConfigMap != nil {
		keys(s.ConfigMap.Name, s.ConfigMap.Items, child(at, "configMap"))
	}
	if s.DownwardAPI != nil {
		n++
		errs = append(errs, downwardFiles(s.DownwardAPI.Items, child(at, "downwardAPI"), paths, volume)...)
	}
	if t := s.ServiceAccountToken; t != nil {
		n++
		errs = append(errs, projectedToken(t, volume, child(at, "serviceAccountToken"))...)
	}
	if b := s.ClusterTrustBundle; b != nil {
		n++
		errs = append(errs, projectedBundle(b, child(at, "clusterTrustBundle"))...)
		errs = append(errs, ownPath(paths, b.Path, b.Path, volume)...)
	}
	if c := s.PodCertificate; c != nil {
		n++
		errs = append(errs, projectedCertificate(c, child(at, "podCertificate"))...)
	}
	if n > 1 {
		errs = append(errs, field.Forbidden(at, "may not specify more than 1 volume type per source"))
	}
	return errs
}

func projectedToken(t *corev1.ServiceAccountTokenProjection, volume, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if n := t.ExpirationSeconds; n != nil {
		errs = append(errs, unless(*n >= 600, child(at, "expirationSeconds"), *n, "may not specify a duration less than 10 minutes")...)
		errs = append(errs, unless(*n <= 1<<32, child(at, "expirationSeconds"), *n, "may not specify a duration larger than 2^32 seconds")...)
	}
	return append(errs, fileName(t.Path, child(volume, "path"))...)
}

func projectedBundle(b *corev1.ClusterTrustBundleProjection, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case b.Name != nil && b.SignerName != nil:
		errs = append(errs, field.Invalid(at, asInternal{*b}, "only one of name and signerName may be used"))
	case b.Name != nil:
		if *b.Name == "" {
			errs = append(errs, field.Required(child(at, "name"), "must be a valid object name"))
		}
		for _, m := range dnsSubdomain((*b.Name)[strings.LastIndex(*b.Name, ":")+1:], false) {
			errs = append(errs, field.Invalid(child(at, "name"), *b.Name, "not a valid clustertrustbundlename: "+m))
		}
		errs = append(errs, unless(b.LabelSelector == nil, child(at, "labelSelector"), b.LabelSelector, "labelSelector must be unset if name is specified")...)
	case b.SignerName != nil:
		if *b.SignerName == "" {
			errs = append(errs, field.Required(child(at, "signerName"), "must be a valid signer name"))
		}
		errs = append(errs, signerName(*b.SignerName, child(at, "signerName"))...)
		errs = append(errs, labelSelector(b.LabelSelector, child(at, "labelSelector"))...)
	default:
		errs = append(errs, field.Required(at, "either name or signerName must be specified"))
	}
	return append(errs, fileName(b.Path, child(at, "path"))...)
}

var certificateKeys = []string{"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"}

func projectedCertificate(c *corev1.PodCertificateProjection, at *field.Path) field.ErrorList {
	errs := signerName(c.SignerName, child(at, "signerName"))
	errs = append(errs, choice(c.KeyType, child(at, "keyType"), certificateKeys...)...)
	if n := c.MaxExpirationSeconds; n != nil {
		errs = append(errs, unless(*n >= 3600, child(at, "maxExpirationSeconds"), *n, "if provided, maxExpirationSeconds must be >= 3600")...)
	}
	for name, path := range sorted(map[string]string{"credentialBundlePath": c.CredentialBundlePath, "keyPath": c.KeyPath, "certificateChainPath": c.CertificateChainPath}) {
		if path != "" {
			errs = append(errs, unreservedPath(path, child(at, name))...)
		}
	}
	return errs
}
