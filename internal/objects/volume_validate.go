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
		wrong := oneSource(podVolume{v, k, at}, podSources, "may not specify more than 1 volume type", at)
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

// A volumeSource is one of the sources that a volume may have, of some sort of volume.
type volumeSource[T any] struct {
	name  string
	isSet func(T) bool
	check func(volume T, at *field.Path) field.ErrorList // may be nil
}

// A podVolume is a volume of a pod, and where it is.
type podVolume struct {
	*corev1.Volume
	check *podCheck
	at    *field.Path
}

// podSources are the sources that a volume of a pod may have.
var podSources = []volumeSource[podVolume]{
	{"emptyDir", func(v podVolume) bool { return v.EmptyDir != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		if limit := v.EmptyDir.SizeLimit; limit != nil && limit.Sign() < 0 {
			return field.ErrorList{field.Forbidden(child(at, "sizeLimit"), "SizeLimit field must be a valid resource quantity")}
		}
		return nil
	}},
	{"hostPath", func(v podVolume) bool { return v.HostPath != nil }, func(v podVolume, at *field.Path) field.ErrorList { return validateHostPath(v.HostPath, at) }},
	{"gitRepo", func(v podVolume) bool { return v.GitRepo != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(required(v.GitRepo.Repository, child(at, "repository")), pathWithin(v.GitRepo.Directory, child(at, "directory"))...)
	}},
	{"gcePersistentDisk", func(v podVolume) bool { return v.GCEPersistentDisk != nil }, func(v podVolume, at *field.Path) field.ErrorList { return gceDisk(v.GCEPersistentDisk, at) }},
	{"awsElasticBlockStore", func(v podVolume) bool { return v.AWSElasticBlockStore != nil }, func(v podVolume, at *field.Path) field.ErrorList { return awsDisk(v.AWSElasticBlockStore, at) }},
	{"secret", func(v podVolume) bool { return v.Secret != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		errs := required(v.Secret.SecretName, child(at, "secretName"))
		return append(errs, keysToPaths(v.Secret.Items, v.Secret.DefaultMode, at)...)
	}},
	{"nfs", func(v podVolume) bool { return v.NFS != nil }, func(v podVolume, at *field.Path) field.ErrorList { return nfs(v.NFS, at) }},
	{"iscsi", func(v podVolume) bool { return v.ISCSI != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		i := v.ISCSI
		errs := iscsi(i.TargetPortal, i.IQN, i.Lun, i.InitiatorName, (i.DiscoveryCHAPAuth || i.SessionCHAPAuth) && i.SecretRef == nil, "must be valid format starting with iqn, eui, or naa", at)
		return append(errs, unless(i.InitiatorName == nil || len(v.Name+":"+i.TargetPortal) <= maxISCSIName, child(v.at, "name"), v.Name, iscsiNameTooLong)...)
	}},
	{"glusterfs", func(v podVolume) bool { return v.Glusterfs != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(required(v.Glusterfs.EndpointsName, child(at, "endpoints")), required(v.Glusterfs.Path, child(at, "path"))...)
	}},
	{"flocker", func(v podVolume) bool { return v.Flocker != nil }, func(v podVolume, at *field.Path) field.ErrorList { return flocker(v.Flocker, at) }},
	{"persistentVolumeClaim", func(v podVolume) bool { return v.PersistentVolumeClaim != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return required(v.PersistentVolumeClaim.ClaimName, child(at, "claimName"))
	}},
	{"rbd", func(v podVolume) bool { return v.RBD != nil }, func(v podVolume, at *field.Path) field.ErrorList { return rbd(v.RBD.CephMonitors, v.RBD.RBDImage, at) }},
	{"cinder", func(v podVolume) bool { return v.Cinder != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(required(v.Cinder.VolumeID, child(at, "volumeID")), localSecret(v.Cinder.SecretRef, at)...)
	}},
	{"cephFS", func(v podVolume) bool { return v.CephFS != nil }, func(v podVolume, at *field.Path) field.ErrorList { return cephMonitors(v.CephFS.Monitors, at) }},
	{"quobyte", func(v podVolume) bool { return v.Quobyte != nil }, func(v podVolume, at *field.Path) field.ErrorList { return quobyte(v.Quobyte, at) }},
	{"downwarAPI", func(v podVolume) bool { return v.DownwardAPI != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(modeInRange(v.DownwardAPI.DefaultMode, child(at, "defaultMode")), downwardFiles(v.DownwardAPI.Items, at, nil, nil)...)
	}},
	{"fc", func(v podVolume) bool { return v.FC != nil }, func(v podVolume, at *field.Path) field.ErrorList { return fibreChannel(v.FC, at) }},
	{"flexVolume", func(v podVolume) bool { return v.FlexVolume != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return flex(v.FlexVolume.Driver, v.FlexVolume.Options, at)
	}},
	{"configMap", func(v podVolume) bool { return v.ConfigMap != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		errs := required(v.ConfigMap.Name, child(at, "name"))
		return append(errs, keysToPaths(v.ConfigMap.Items, v.ConfigMap.DefaultMode, at)...)
	}},
	{"azureFile", func(v podVolume) bool { return v.AzureFile != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(required(v.AzureFile.SecretName, child(at, "secretName")), required(v.AzureFile.ShareName, child(at, "shareName"))...)
	}},
	{"vsphereVolume", func(v podVolume) bool { return v.VsphereVolume != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return required(v.VsphereVolume.VolumePath, child(at, "volumePath"))
	}},
	{"photonPersistentDisk", func(v podVolume) bool { return v.PhotonPersistentDisk != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return required(v.PhotonPersistentDisk.PdID, child(at, "pdID"))
	}},
	{"portworxVolume", func(v podVolume) bool { return v.PortworxVolume != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return required(v.PortworxVolume.VolumeID, child(at, "volumeID"))
	}},
	{"azureDisk", func(v podVolume) bool { return v.AzureDisk != nil }, func(v podVolume, at *field.Path) field.ErrorList { return azureDisk(v.AzureDisk, at) }},
	{"storageos", func(v podVolume) bool { return v.StorageOS != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(storageOS(v.StorageOS.VolumeName, v.StorageOS.VolumeNamespace, at), localSecret(v.StorageOS.SecretRef, at)...)
	}},
	{"projected", func(v podVolume) bool { return v.Projected != nil }, func(v podVolume, at *field.Path) field.ErrorList { return validateProjected(v.Projected, at) }},
	{"scaleIO", func(v podVolume) bool { return v.ScaleIO != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return scaleIO(v.ScaleIO.Gateway, v.ScaleIO.System, v.ScaleIO.VolumeName, at)
	}},
	{"csi", func(v podVolume) bool { return v.CSI != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		errs := driverName(v.CSI.Driver, child(at, "driver"))
		if ref := v.CSI.NodePublishSecretRef; ref != nil && ref.Name == "" {
			errs = append(errs, field.Required(child(at, "nodePublishSecretRef", "name"), ""))
		} else if ref != nil {
			errs = append(errs, subdomain(ref.Name, child(at, "name"))...)
		}
		return errs
	}},
	{"ephemeral", func(v podVolume) bool { return v.Ephemeral != nil }, func(v podVolume, at *field.Path) field.ErrorList { return v.check.ephemeralVolume(v.Volume, v.at, at) }},
	{"image", func(v podVolume) bool { return v.Image != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		var errs field.ErrorList
		if v.check.pod != nil {
			errs = required(v.Image.Reference, child(at, "reference"))
		}
		return append(errs, validatePullPolicy(v.Image.PullPolicy, child(at, "pullPolicy"))...)
	}},
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
	if errs := required(h.Path, child(at, "path")); len(errs) > 0 {
		return errs
	}
	return append(noBacksteps(h.Path, child(at, "path")), oneOf(h.Type, hostPathTypes, child(at, "type"))...)
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
		errs = append(errs, field.Invalid(at, asInternal(*b), "only one of name and signerName may be used"))
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
