// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// podVolumes checks the volumes of a pod. Mounts can only refer to valid volumes.
func (k *podCheck) podVolumes(at *field.Path) field.ErrorList {
	var errs rules.Errors
	k.volumes = map[string]*corev1.VolumeSource{}
	for i := range k.spec.Volumes {
		v, at := &k.spec.Volumes[i], rules.Nth(at, i)
		var wrong rules.Errors
		wrong.Add(OneSource(podVolume{v, k, at}, podSources, "may not specify more than 1 volume type", at))
		wrong.Add(rules.Given(rules.Child(at, "name"), v.Name, rules.DNS1123Label))
		if k.volumes[v.Name] != nil {
			wrong.Duplicate(rules.Child(at, "name"), v.Name)
		}
		if !wrong.Any() {
			k.volumes[v.Name] = &v.VolumeSource
		}
		errs.Add(wrong.List())
		if c := v.PersistentVolumeClaim; c != nil && k.makesClaim(c.ClaimName) {
			errs.Invalid(rules.Child(at, "persistentVolumeClaim", "claimName"), c.ClaimName, "must not reference a PVC that gets created for an ephemeral volume")
		}
	}
	return errs.List()
}

// makesClaim reports whether a claim belongs to an ephemeral volume of the pod.
func (k *podCheck) makesClaim(name string) bool {
	if k.pod == nil || k.pod.Name == "" {
		return false
	}
	volume, ok := strings.CutPrefix(name, k.pod.Name+"-")
	return ok && slices.ContainsFunc(k.spec.Volumes, func(v corev1.Volume) bool { return v.Ephemeral != nil && v.Name == volume })
}

// A volumeSource is one of the sources that volumes of some kind may have.
type volumeSource[T any] struct {
	name  string
	isSet func(T) bool
	check func(volume T, at *field.Path) field.ErrorList // may be nil
}

const (
	imageReferences rules.Excuse = "references of image volumes"
	tokenPaths      rules.Excuse = "local paths of projected tokens"
)

// A podVolume is a volume of a pod with its position.
type podVolume struct {
	*corev1.Volume
	check *podCheck
	at    *field.Path
}

// podSources are the sources that a volume of a pod may have.
var podSources = []volumeSource[podVolume]{
	{"emptyDir", func(v podVolume) bool { return v.EmptyDir != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		if limit := v.EmptyDir.SizeLimit; limit != nil && limit.Sign() < 0 {
			errs.Forbidden(rules.Child(at, "sizeLimit"), "SizeLimit field must be a valid resource quantity")
		}
		if mode := v.EmptyDir.Mode; mode != nil {
			errs.Add(rules.Unless(*mode >= 0 && *mode <= 0o1777, rules.Child(at, "mode"), *mode, "must be a number between 0 and 01777 (octal), both inclusive"))
		}
		return errs.List()
	}},
	{"hostPath", func(v podVolume) bool { return v.HostPath != nil }, func(v podVolume, at *field.Path) field.ErrorList { return validateHostPath(v.HostPath, at) }},
	{"gitRepo", func(v podVolume) bool { return v.GitRepo != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(rules.Required(v.GitRepo.Repository, rules.Child(at, "repository")), pathWithin(v.GitRepo.Directory, rules.Child(at, "directory"))...)
	}},
	{"gcePersistentDisk", func(v podVolume) bool { return v.GCEPersistentDisk != nil }, func(v podVolume, at *field.Path) field.ErrorList { return gceDisk(v.GCEPersistentDisk, at) }},
	{"awsElasticBlockStore", func(v podVolume) bool { return v.AWSElasticBlockStore != nil }, func(v podVolume, at *field.Path) field.ErrorList { return awsDisk(v.AWSElasticBlockStore, at) }},
	{"secret", func(v podVolume) bool { return v.Secret != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.Required(v.Secret.SecretName, rules.Child(at, "secretName")))
		errs.Add(keysToPaths(v.Secret.Items, v.Secret.DefaultMode, v.Secret.DefaultUser, at))
		return errs.List()
	}},
	{"nfs", func(v podVolume) bool { return v.NFS != nil }, func(v podVolume, at *field.Path) field.ErrorList { return nfs(v.NFS, at) }},
	{"iscsi", func(v podVolume) bool { return v.ISCSI != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		i := v.ISCSI
		var errs rules.Errors
		errs.Add(iscsi(i.TargetPortal, i.IQN, i.Lun, i.InitiatorName, (i.DiscoveryCHAPAuth || i.SessionCHAPAuth) && i.SecretRef == nil, "must be valid format starting with iqn, eui, or naa", at))
		errs.Add(rules.Unless(i.InitiatorName == nil || len(v.Name+":"+i.TargetPortal) <= maxISCSIName, rules.Child(v.at, "name"), v.Name, iscsiNameTooLong))
		return errs.List()
	}},
	{"glusterfs", func(v podVolume) bool { return v.Glusterfs != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(rules.Required(v.Glusterfs.EndpointsName, rules.Child(at, "endpoints")), rules.Required(v.Glusterfs.Path, rules.Child(at, "path"))...)
	}},
	{"flocker", func(v podVolume) bool { return v.Flocker != nil }, func(v podVolume, at *field.Path) field.ErrorList { return flocker(v.Flocker, at) }},
	{"persistentVolumeClaim", func(v podVolume) bool { return v.PersistentVolumeClaim != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return rules.Required(v.PersistentVolumeClaim.ClaimName, rules.Child(at, "claimName"))
	}},
	{"rbd", func(v podVolume) bool { return v.RBD != nil }, func(v podVolume, at *field.Path) field.ErrorList { return rbd(v.RBD.CephMonitors, v.RBD.RBDImage, at) }},
	{"cinder", func(v podVolume) bool { return v.Cinder != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(rules.Required(v.Cinder.VolumeID, rules.Child(at, "volumeID")), localSecret(v.Cinder.SecretRef, at)...)
	}},
	{"cephFS", func(v podVolume) bool { return v.CephFS != nil }, func(v podVolume, at *field.Path) field.ErrorList { return cephMonitors(v.CephFS.Monitors, at) }},
	{"quobyte", func(v podVolume) bool { return v.Quobyte != nil }, func(v podVolume, at *field.Path) field.ErrorList { return quobyte(v.Quobyte, at) }},
	{"downwarAPI", func(v podVolume) bool { return v.DownwardAPI != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(modeInRange(v.DownwardAPI.DefaultMode, rules.Child(at, "defaultMode")))
		errs.Add(validateUser(v.DownwardAPI.DefaultUser, rules.Child(at, "defaultUser")))
		errs.Add(downwardFiles(v.DownwardAPI.Items, at, nil, nil))
		return errs.List()
	}},
	{"fc", func(v podVolume) bool { return v.FC != nil }, func(v podVolume, at *field.Path) field.ErrorList { return fibreChannel(v.FC, at) }},
	{"flexVolume", func(v podVolume) bool { return v.FlexVolume != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return flex(v.FlexVolume.Driver, v.FlexVolume.Options, at)
	}},
	{"configMap", func(v podVolume) bool { return v.ConfigMap != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.Required(v.ConfigMap.Name, rules.Child(at, "name")))
		errs.Add(keysToPaths(v.ConfigMap.Items, v.ConfigMap.DefaultMode, v.ConfigMap.DefaultUser, at))
		return errs.List()
	}},
	{"azureFile", func(v podVolume) bool { return v.AzureFile != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return append(rules.Required(v.AzureFile.SecretName, rules.Child(at, "secretName")), rules.Required(v.AzureFile.ShareName, rules.Child(at, "shareName"))...)
	}},
	{"vsphereVolume", func(v podVolume) bool { return v.VsphereVolume != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return rules.Required(v.VsphereVolume.VolumePath, rules.Child(at, "volumePath"))
	}},
	{"photonPersistentDisk", func(v podVolume) bool { return v.PhotonPersistentDisk != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return rules.Required(v.PhotonPersistentDisk.PdID, rules.Child(at, "pdID"))
	}},
	{"portworxVolume", func(v podVolume) bool { return v.PortworxVolume != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		return rules.Required(v.PortworxVolume.VolumeID, rules.Child(at, "volumeID"))
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
		var errs rules.Errors
		errs.Add(rules.DriverName(v.CSI.Driver, rules.Child(at, "driver")))
		if ref := v.CSI.NodePublishSecretRef; ref != nil && ref.Name == "" {
			errs.Required(rules.Child(at, rules.NodePublishRef(v.check.release), "name"), "")
		} else if ref != nil {
			errs.Add(rules.Subdomain(ref.Name, rules.Child(at, "name")))
		}
		return errs.List()
	}},
	{"ephemeral", func(v podVolume) bool { return v.Ephemeral != nil }, func(v podVolume, at *field.Path) field.ErrorList { return v.check.ephemeralVolume(v.Volume, v.at, at) }},
	{"image", func(v podVolume) bool { return v.Image != nil }, func(v podVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		switch missing := rules.Required(v.Image.Reference, rules.Child(at, "reference")); {
		case v.check.release.Has(kubeversion.ImageReferencesInTemplates):
			errs.Add(imageReferences.Of(missing))
		case v.check.pod != nil:
			errs.Add(missing)
		}
		errs.Add(validatePullPolicy(v.Image.PullPolicy, rules.Child(at, "pullPolicy")))
		return errs.List()
	}},
}

func localSecret(ref *corev1.LocalObjectReference, at *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return rules.Required(ref.Name, rules.Child(at, "secretRef", "name"))
}

// ephemeralVolume checks the template of a claim, and the name that the claim will get.
func (k *podCheck) ephemeralVolume(v *corev1.Volume, volume, at *field.Path) field.ErrorList {
	t := v.Ephemeral.VolumeClaimTemplate
	if t == nil {
		return field.ErrorList{field.Required(rules.Child(at, "volumeClaimTemplate"), "")}
	}
	at = rules.Child(at, "volumeClaimTemplate")
	var errs rules.Errors
	errs.Add(rules.ClaimMetadata(&t.ObjectMeta, rules.Child(at, "metadata"), k.release))
	errs.Add(rules.ClaimTemplate(&t.Spec, rules.Child(at, "spec"), k.release))
	if k.pod == nil || k.pod.Name == "" || v.Name == "" {
		return errs.List()
	}
	claim := k.pod.Name + "-" + v.Name
	for _, m := range rules.DNSSubdomain(claim, false) {
		errs.Invalid(rules.Child(volume, "name"), v.Name, fmt.Sprintf("PVC name %q: %v", claim, m))
	}
	return errs.List()
}

var hostPathTypes = []string{"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"}

func validateHostPath(h *corev1.HostPathVolumeSource, at *field.Path) field.ErrorList {
	if errs := rules.Required(h.Path, rules.Child(at, "path")); len(errs) > 0 {
		return errs
	}
	return append(noBacksteps(h.Path, rules.Child(at, "path")), rules.OneOf(h.Type, hostPathTypes, rules.Child(at, "type"))...)
}

// keysToPaths checks the files for the keys of a config map or secret.
func keysToPaths(items []corev1.KeyToPath, mode *int32, user *int64, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(modeInRange(mode, rules.Child(at, "defaultMode")))
	errs.Add(validateUser(user, rules.Child(at, "defaultUser")))
	for i, item := range items {
		at := rules.Nth(rules.Child(at, "items"), i)
		errs.Add(rules.Required(item.Key, rules.Child(at, "key")))
		errs.Add(fileName(item.Path, rules.Child(at, "path")))
		errs.Add(modeInRange(item.Mode, rules.Child(at, "mode")))
		errs.Add(validateUser(item.User, rules.Child(at, "user")))
	}
	return errs.List()
}

func fileName(path string, at *field.Path) field.ErrorList {
	return append(rules.Required(path, at), unreservedPath(path, at)...)
}

// unreservedPath requires a path within a volume that does not begin with two dots.
func unreservedPath(path string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(pathWithin(path, at))
	errs.Add(rules.Unless(!strings.HasPrefix(path, "..") || strings.HasPrefix(path, "../"), at, path, "must not start with '..'"))
	return errs.List()
}

// validateUser checks the owner of a file.
func validateUser(user *int64, at *field.Path) field.ErrorList {
	if user == nil {
		return nil
	}
	return rules.Faults(at, *user, utilvalidation.IsValidUserID(*user))
}

func modeInRange(mode *int32, at *field.Path) field.ErrorList {
	if mode == nil || *mode >= 0 && *mode <= 0o777 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, *mode, "must be a number between 0 and 0777 (octal), both inclusive")}
}

// downwardFiles checks files with fields of the pod. paths, if not nil, are the paths of other files in the same
// volume.
func downwardFiles(files []corev1.DownwardAPIVolumeFile, at *field.Path, paths map[string]bool, beside *field.Path) field.ErrorList {
	var errs rules.Errors
	for _, f := range files {
		errs.Add(fileName(f.Path, rules.Child(at, "path")))
		switch {
		case f.FieldRef != nil:
			errs.Add(validateFieldPath(f.FieldRef, volumeFields, rules.Child(at, "fieldRef")))
			errs.Add(rules.Unless(f.ResourceFieldRef == nil, at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"))
		case f.ResourceFieldRef != nil:
			errs.Add(resourceField(f.ResourceFieldRef, true, rules.Child(at, "resourceFieldRef")))
		default:
			errs.Required(at, "one of fieldRef and resourceFieldRef is required")
		}
		errs.Add(modeInRange(f.Mode, rules.Child(at, "mode")))
		errs.Add(validateUser(f.User, rules.Child(at, "user")))
		if paths != nil {
			errs.Add(ownPath(paths, f.Path, f.Path, beside))
		}
	}
	return errs.List()
}

// ownPath records the path of a file, which must be unique; of is the word for it in the error.
func ownPath(paths map[string]bool, path, of string, at *field.Path) field.ErrorList {
	taken := paths[path]
	paths[path] = path != ""
	return rules.Unless(!taken, at, of, "conflicting duplicate paths")
}

// validateProjected checks a volume with files from several sources.
func validateProjected(p *corev1.ProjectedVolumeSource, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(modeInRange(p.DefaultMode, rules.Child(at, "defaultMode")))
	errs.Add(validateUser(p.DefaultUser, rules.Child(at, "defaultUser")))
	paths := map[string]bool{}
	for i := range p.Sources {
		errs.Add(projection(&p.Sources[i], paths, at, rules.Nth(rules.Child(at, "sources"), i)))
	}
	return errs.List()
}

// projection checks one of the sources; volume is the path that the server uses in some errors.
func projection(s *corev1.VolumeProjection, paths map[string]bool, volume, at *field.Path) field.ErrorList {
	var errs rules.Errors
	n := 0
	keys := func(name string, items []corev1.KeyToPath, at *field.Path) {
		n++
		errs.Add(rules.Required(name, rules.Child(at, "name")))
		errs.Add(keysToPaths(items, nil, nil, at))
		for _, item := range items {
			errs.Add(ownPath(paths, item.Path, name, volume))
		}
	}
	if s.Secret != nil {
		keys(s.Secret.Name, s.Secret.Items, rules.Child(at, "secret"))
	}
	if s.ConfigMap != nil {
		keys(s.ConfigMap.Name, s.ConfigMap.Items, rules.Child(at, "configMap"))
	}
	if s.DownwardAPI != nil {
		n++
		errs.Add(downwardFiles(s.DownwardAPI.Items, rules.Child(at, "downwardAPI"), paths, volume))
	}
	if t := s.ServiceAccountToken; t != nil {
		n++
		errs.Add(projectedToken(t, volume, rules.Child(at, "serviceAccountToken")))
	}
	if b := s.ClusterTrustBundle; b != nil {
		n++
		errs.Add(projectedBundle(b, rules.Child(at, "clusterTrustBundle")))
		errs.Add(ownPath(paths, b.Path, b.Path, volume))
	}
	if c := s.PodCertificate; c != nil {
		n++
		errs.Add(projectedCertificate(c, paths, volume, rules.Child(at, "podCertificate")))
	}
	if n > 1 {
		errs.Forbidden(at, "may not specify more than 1 volume type per source")
	}
	return errs.List()
}

func projectedToken(t *corev1.ServiceAccountTokenProjection, volume, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if n := t.ExpirationSeconds; n != nil {
		errs.Add(rules.Unless(*n >= 600, rules.Child(at, "expirationSeconds"), *n, "may not specify a duration less than 10 minutes"))
		errs.Add(rules.Unless(*n <= 1<<32, rules.Child(at, "expirationSeconds"), *n, "may not specify a duration larger than 2^32 seconds"))
	}
	errs.Add(rules.Required(t.Path, rules.Child(volume, "path")))
	errs.Add(tokenPaths.Of(unreservedPath(t.Path, rules.Child(volume, "path"))))
	errs.Add(validateUser(t.User, rules.Child(at, "user")))
	return errs.List()
}

func projectedBundle(b *corev1.ClusterTrustBundleProjection, at *field.Path) field.ErrorList {
	var errs rules.Errors
	switch {
	case b.Name != nil && b.SignerName != nil:
		errs.Invalid(at, rules.AsInternal(*b), "only one of name and signerName may be used")
	case b.Name != nil:
		if *b.Name == "" {
			errs.Required(rules.Child(at, "name"), "must be a valid object name")
		}
		for _, m := range rules.DNSSubdomain((*b.Name)[strings.LastIndex(*b.Name, ":")+1:], false) {
			errs.Invalid(rules.Child(at, "name"), *b.Name, "not a valid clustertrustbundlename: "+m)
		}
		errs.Add(rules.Unless(b.LabelSelector == nil, rules.Child(at, "labelSelector"), b.LabelSelector, "labelSelector must be unset if name is specified"))
	case b.SignerName != nil:
		if *b.SignerName == "" {
			errs.Required(rules.Child(at, "signerName"), "must be a valid signer name")
		}
		errs.Add(rules.SignerName(*b.SignerName, rules.Child(at, "signerName")))
		errs.Add(rules.LabelSelector(b.LabelSelector, rules.Child(at, "labelSelector")))
	default:
		errs.Required(at, "either name or signerName must be specified")
	}
	errs.Add(fileName(b.Path, rules.Child(at, "path")))
	errs.Add(validateUser(b.User, rules.Child(at, "user")))
	return errs.List()
}

var certificateKeys = []string{"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"}

func projectedCertificate(c *corev1.PodCertificateProjection, paths map[string]bool, volume, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.SignerName(c.SignerName, rules.Child(at, "signerName")))
	errs.Add(rules.UserAnnotations(c.UserAnnotations, rules.Child(at, "userAnnotations")))
	errs.Add(validateUser(c.User, rules.Child(at, "user")))
	errs.Add(rules.Choice(c.KeyType, rules.Child(at, "keyType"), certificateKeys...))
	if n := c.MaxExpirationSeconds; n != nil {
		errs.Add(rules.Unless(*n >= 3600, rules.Child(at, "maxExpirationSeconds"), *n, "if provided, maxExpirationSeconds must be >= 3600"))
		longest := int32(91 * 24 * 60 * 60)
		if rules.IsKubernetesSigner(c.SignerName) {
			longest = 24 * 60 * 60
		}
		errs.Add(rules.Unless(*n <= longest, rules.Child(at, "maxExpirationSeconds"), *n, fmt.Sprintf("if provided, maxExpirationSeconds must be <= %d", longest)))
	}
	files := map[string]string{"credentialBundlePath": c.CredentialBundlePath, "keyPath": c.KeyPath, "certificateChainPath": c.CertificateChainPath}
	maps.DeleteFunc(files, func(_, path string) bool { return path == "" })
	for name, path := range rules.Sorted(files) {
		errs.Add(unreservedPath(path, rules.Child(at, name)))
		errs.Add(ownPath(paths, path, path, volume))
	}
	if len(files) == 0 {
		errs.Required(at, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")
	}
	return errs.List()
}
