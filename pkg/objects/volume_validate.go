package objects

import (
	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateVolumes checks the volumes of a pod. Only those that are right are there for
// mounts to find.
func validateVolumes(all []corev1.Volume, at *field.Path) (names map[string]bool, errs field.ErrorList) {
	names = map[string]bool{}
	for i := range all {
		v, at := &all[i], at.Index(i)
		wrong := validateVolumeSource(&v.VolumeSource, at)
		wrong = append(wrong, given(at.Child("name"), v.Name, utilvalidation.IsDNS1123Label)...)
		if names[v.Name] {
			wrong = append(wrong, field.Duplicate(at.Child("name"), v.Name))
		}
		if len(wrong) == 0 {
			names[v.Name] = true
		}
		errs = append(errs, wrong...)
	}
	return names, errs
}

// A volumeKind is one of the sources that a volume may have.
type volumeKind struct {
	name  string
	set   bool
	check func(at *field.Path) field.ErrorList
}

// validateVolumeSource asks for one source, and checks the first. The order is the server's,
// since it tells which one is too many.
func validateVolumeSource(s *corev1.VolumeSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	n := 0
	for _, k := range volumeKinds(s) {
		switch {
		case !k.set:
		case n > 0:
			errs = append(errs, field.Forbidden(at.Child(k.name), "may not specify more than 1 volume type"))
		default:
			n++
			if k.check != nil {
				errs = append(errs, k.check(at.Child(k.name))...)
			}
		}
	}
	if n == 0 {
		errs = append(errs, field.Required(at, "must specify a volume type"))
	}
	return errs
}

func volumeKinds(s *corev1.VolumeSource) []volumeKind {
	return []volumeKind{
		{"emptyDir", s.EmptyDir != nil, func(at *field.Path) field.ErrorList {
			if limit := s.EmptyDir.SizeLimit; limit != nil && limit.Sign() < 0 {
				return field.ErrorList{field.Forbidden(at.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity")}
			}
			return nil
		}},
		{"hostPath", s.HostPath != nil, func(at *field.Path) field.ErrorList { return validateHostPath(s.HostPath, at) }},
		{"gitRepo", s.GitRepo != nil, func(at *field.Path) field.ErrorList {
			return append(required(s.GitRepo.Repository, at.Child("repository")), pathWithin(s.GitRepo.Directory, at.Child("directory"))...)
		}},
		{"gcePersistentDisk", s.GCEPersistentDisk != nil, func(at *field.Path) field.ErrorList {
			return required(s.GCEPersistentDisk.PDName, at.Child("pdName"))
		}},
		{"awsElasticBlockStore", s.AWSElasticBlockStore != nil, func(at *field.Path) field.ErrorList {
			return required(s.AWSElasticBlockStore.VolumeID, at.Child("volumeID"))
		}},
		{"secret", s.Secret != nil, func(at *field.Path) field.ErrorList {
			errs := required(s.Secret.SecretName, at.Child("secretName"))
			return append(errs, keysToPaths(s.Secret.Items, s.Secret.DefaultMode, at)...)
		}},
		{"nfs", s.NFS != nil, func(at *field.Path) field.ErrorList {
			return append(required(s.NFS.Server, at.Child("server")), required(s.NFS.Path, at.Child("path"))...)
		}},
		{"iscsi", s.ISCSI != nil, func(at *field.Path) field.ErrorList {
			return append(required(s.ISCSI.TargetPortal, at.Child("targetPortal")), required(s.ISCSI.IQN, at.Child("iqn"))...)
		}},
		{"glusterfs", s.Glusterfs != nil, nil},
		{"flocker", s.Flocker != nil, nil},
		{"persistentVolumeClaim", s.PersistentVolumeClaim != nil, func(at *field.Path) field.ErrorList {
			return required(s.PersistentVolumeClaim.ClaimName, at.Child("claimName"))
		}},
		{"rbd", s.RBD != nil, nil},
		{"cinder", s.Cinder != nil, func(at *field.Path) field.ErrorList {
			return required(s.Cinder.VolumeID, at.Child("volumeID"))
		}},
		{"cephfs", s.CephFS != nil, nil},
		{"quobyte", s.Quobyte != nil, nil},
		{"downwardAPI", s.DownwardAPI != nil, func(at *field.Path) field.ErrorList {
			return append(modeInRange(s.DownwardAPI.DefaultMode, at.Child("defaultMode")), downwardFiles(s.DownwardAPI.Items, at.Child("items"))...)
		}},
		{"fc", s.FC != nil, nil},
		{"flexVolume", s.FlexVolume != nil, func(at *field.Path) field.ErrorList {
			return required(s.FlexVolume.Driver, at.Child("driver"))
		}},
		{"azureFile", s.AzureFile != nil, nil},
		{"configMap", s.ConfigMap != nil, func(at *field.Path) field.ErrorList {
			errs := required(s.ConfigMap.Name, at.Child("name"))
			return append(errs, keysToPaths(s.ConfigMap.Items, s.ConfigMap.DefaultMode, at)...)
		}},
		{"projected", s.Projected != nil, func(at *field.Path) field.ErrorList { return validateProjected(s.Projected, at) }},
		{"portworxVolume", s.PortworxVolume != nil, nil},
		{"scaleIO", s.ScaleIO != nil, nil},
		{"azureDisk", s.AzureDisk != nil, nil},
		{"vsphereVolume", s.VsphereVolume != nil, nil},
		{"photonPersistentDisk", s.PhotonPersistentDisk != nil, nil},
		{"storageos", s.StorageOS != nil, nil},
		{"csi", s.CSI != nil, func(at *field.Path) field.ErrorList { return required(s.CSI.Driver, at.Child("driver")) }},
		{"ephemeral", s.Ephemeral != nil, func(at *field.Path) field.ErrorList {
			if s.Ephemeral.VolumeClaimTemplate == nil {
				return field.ErrorList{field.Required(at.Child("volumeClaimTemplate"), "")}
			}
			return nil
		}},
		{"image", s.Image != nil, nil},
	}
}

func validateHostPath(h *corev1.HostPathVolumeSource, at *field.Path) field.ErrorList {
	errs := required(h.Path, at.Child("path"))
	if len(errs) == 0 {
		errs = noBacksteps(h.Path, at.Child("path"))
	}
	if h.Type != nil && *h.Type != corev1.HostPathUnset {
		errs = append(errs, choice(*h.Type, at.Child("type"), corev1.HostPathBlockDev, corev1.HostPathCharDev, corev1.HostPathDirectory,
			corev1.HostPathDirectoryOrCreate, corev1.HostPathFile, corev1.HostPathFileOrCreate, corev1.HostPathSocket)...)
	}
	return errs
}

// keysToPaths checks which files are made of the keys of a config map or secret.
func keysToPaths(items []corev1.KeyToPath, mode *int32, at *field.Path) field.ErrorList {
	errs := modeInRange(mode, at.Child("defaultMode"))
	for i, item := range items {
		at := at.Child("items").Index(i)
		errs = append(errs, required(item.Key, at.Child("key"))...)
		errs = append(errs, fileName(item.Path, at.Child("path"))...)
		errs = append(errs, modeInRange(item.Mode, at.Child("mode"))...)
	}
	return errs
}

func fileName(path string, at *field.Path) field.ErrorList {
	if path == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return pathWithin(path, at)
}

func modeInRange(mode *int32, at *field.Path) field.ErrorList {
	if mode == nil || *mode >= 0 && *mode <= 0o777 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, *mode, "must be a number between 0 and 0777 (octal), both inclusive")}
}

func downwardFiles(files []corev1.DownwardAPIVolumeFile, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, f := range files {
		at := at.Index(i)
		errs = append(errs, fileName(f.Path, at.Child("path"))...)
		switch {
		case f.FieldRef != nil:
			errs = append(errs, validateFieldPath(f.FieldRef, volumeFields, at.Child("fieldRef"))...)
			if f.ResourceFieldRef != nil {
				errs = append(errs, field.Invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"))
			}
		case f.ResourceFieldRef != nil:
			errs = append(errs, required(f.ResourceFieldRef.ContainerName, at.Child("resourceFieldRef", "containerName"))...)
			errs = append(errs, required(f.ResourceFieldRef.Resource, at.Child("resourceFieldRef", "resource"))...)
		default:
			errs = append(errs, field.Required(at, "one of fieldRef and resourceFieldRef is required"))
		}
		errs = append(errs, modeInRange(f.Mode, at.Child("mode"))...)
	}
	return errs
}

func validateProjected(p *corev1.ProjectedVolumeSource, at *field.Path) field.ErrorList {
	errs := modeInRange(p.DefaultMode, at.Child("defaultMode"))
	for i, s := range p.Sources {
		at := at.Child("sources").Index(i)
		n := 0
		if s.Secret != nil {
			n++
			errs = append(errs, required(s.Secret.Name, at.Child("secret", "name"))...)
			errs = append(errs, keysToPaths(s.Secret.Items, nil, at.Child("secret"))...)
		}
		if s.ConfigMap != nil {
			n++
			errs = append(errs, required(s.ConfigMap.Name, at.Child("configMap", "name"))...)
			errs = append(errs, keysToPaths(s.ConfigMap.Items, nil, at.Child("configMap"))...)
		}
		if s.DownwardAPI != nil {
			n++
			errs = append(errs, downwardFiles(s.DownwardAPI.Items, at.Child("downwardAPI", "items"))...)
		}
		if t := s.ServiceAccountToken; t != nil {
			n++
			if t.ExpirationSeconds != nil && *t.ExpirationSeconds < 600 {
				errs = append(errs, field.Invalid(at.Child("serviceAccountToken", "expirationSeconds"), *t.ExpirationSeconds, "may not specify a duration less than 10 minutes"))
			}
			errs = append(errs, fileName(t.Path, at.Child("serviceAccountToken", "path"))...)
		}
		if s.ClusterTrustBundle != nil || s.PodCertificate != nil {
			n++
		}
		if n > 1 {
			errs = append(errs, field.Forbidden(at, "may not specify more than 1 volume type"))
		}
	}
	return errs
}
