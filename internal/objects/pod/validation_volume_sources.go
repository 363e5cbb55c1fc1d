// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"cmp"
	"net"
	"path"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// OneSource requires exactly one source, and checks the first one. The order is the server's, since it decides which
// source is reported as superfluous.
func OneSource[T any](volume T, sources []volumeSource[T], tooMany string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	n := 0
	_, persistent := any(volume).(*corev1.PersistentVolume)
	for i := range sources {
		s := &sources[i]
		switch {
		case !s.isSet(volume):
		case n > 0 && !(persistent && s.name == "flexVolume"): // the server forgets to count flexVolume
			errs.Forbidden(rules.Child(at, s.name), tooMany)
		default:
			n++
			if s.check != nil {
				errs.Add(s.check(volume, rules.Child(at, cmp.Or(sourcePaths[s.name], s.name))))
			}
		}
	}
	if n == 0 {
		errs.Required(at, "must specify a volume type")
	}
	return errs.List()
}

// FirstSource returns the name of the source that is checked, if there is one.
func FirstSource[T any](volume T, sources []volumeSource[T]) string {
	for i := range sources {
		if sources[i].isSet(volume) {
			return sources[i].name
		}
	}
	return ""
}

// sourcePaths maps sources to the names that errors use for them, if these differ.
var sourcePaths = map[string]string{"cephFS": "cephfs", "downwarAPI": "downwardAPI", "gcePersistentDisk": "persistentDisk"}

// PersistentSources are the sources that a persistent volume may have.
var PersistentSources = []volumeSource[*corev1.PersistentVolume]{
	{"hostPath", func(v *corev1.PersistentVolume) bool { return v.Spec.HostPath != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return validateHostPath(v.Spec.HostPath, at)
	}},
	{"gcePersistentDisk", func(v *corev1.PersistentVolume) bool { return v.Spec.GCEPersistentDisk != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return gceDisk(v.Spec.GCEPersistentDisk, at)
	}},
	{"awsElasticBlockStore", func(v *corev1.PersistentVolume) bool { return v.Spec.AWSElasticBlockStore != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return awsDisk(v.Spec.AWSElasticBlockStore, at)
	}},
	{"glusterfs", func(v *corev1.PersistentVolume) bool { return v.Spec.Glusterfs != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.Required(v.Spec.Glusterfs.EndpointsName, rules.Child(at, "endpoints")))
		errs.Add(rules.Required(v.Spec.Glusterfs.Path, rules.Child(at, "path")))
		if n := v.Spec.Glusterfs.EndpointsNamespace; n != nil && *n == "" {
			errs.Invalid(rules.Child(at, "endpointsNamespace"), *n, "if the endpointnamespace is set, it must be a valid namespace name")
		} else if n != nil {
			errs.Add(rules.Faults(rules.Child(at, "endpointsNamespace"), *n, rules.NamespaceName(*n, false)))
		}
		return errs.List()
	}},
	{"flocker", func(v *corev1.PersistentVolume) bool { return v.Spec.Flocker != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList { return flocker(v.Spec.Flocker, at) }},
	{"nfs", func(v *corev1.PersistentVolume) bool { return v.Spec.NFS != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList { return nfs(v.Spec.NFS, at) }},
	{"rbd", func(v *corev1.PersistentVolume) bool { return v.Spec.RBD != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return rbd(v.Spec.RBD.CephMonitors, v.Spec.RBD.RBDImage, at)
	}},
	{"quobyte", func(v *corev1.PersistentVolume) bool { return v.Spec.Quobyte != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList { return quobyte(v.Spec.Quobyte, at) }},
	{"cephFS", func(v *corev1.PersistentVolume) bool { return v.Spec.CephFS != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return cephMonitors(v.Spec.CephFS.Monitors, at)
	}},
	{"iscsi", func(v *corev1.PersistentVolume) bool { return v.Spec.ISCSI != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		i := v.Spec.ISCSI
		var errs rules.Errors
		errs.Add(iscsi(i.TargetPortal, i.IQN, i.Lun, i.InitiatorName, (i.DiscoveryCHAPAuth || i.SessionCHAPAuth) && i.SecretRef == nil, "must be valid format", at))
		if i.InitiatorName != nil && len(v.Name+":"+i.TargetPortal) > maxISCSIName {
			errs.Invalid(rules.Child(at, "targetportal"), i.TargetPortal, iscsiNameTooLong)
		}
		if i.SecretRef != nil {
			errs.Add(rules.Required(i.SecretRef.Name, rules.Child(at, "secretRef", "name")))
		}
		return errs.List()
	}},
	{"cinder", func(v *corev1.PersistentVolume) bool { return v.Spec.Cinder != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return append(rules.Required(v.Spec.Cinder.VolumeID, rules.Child(at, "volumeID")), secretOf(v.Spec.Cinder.SecretRef, at)...)
	}},
	{"fc", func(v *corev1.PersistentVolume) bool { return v.Spec.FC != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList { return fibreChannel(v.Spec.FC, at) }},
	{"flexVolume", func(v *corev1.PersistentVolume) bool { return v.Spec.FlexVolume != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return flex(v.Spec.FlexVolume.Driver, v.Spec.FlexVolume.Options, at)
	}},
	{"azureFile", func(v *corev1.PersistentVolume) bool { return v.Spec.AzureFile != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.Required(v.Spec.AzureFile.SecretName, rules.Child(at, "secretName")))
		errs.Add(rules.Required(v.Spec.AzureFile.ShareName, rules.Child(at, "shareName")))
		if n := v.Spec.AzureFile.SecretNamespace; n != nil {
			errs.Add(rules.Required(*n, rules.Child(at, "secretNamespace")))
		}
		return errs.List()
	}},
	{"vsphereVolume", func(v *corev1.PersistentVolume) bool { return v.Spec.VsphereVolume != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return rules.Required(v.Spec.VsphereVolume.VolumePath, rules.Child(at, "volumePath"))
	}},
	{"photonPersistentDisk", func(v *corev1.PersistentVolume) bool { return v.Spec.PhotonPersistentDisk != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return rules.Required(v.Spec.PhotonPersistentDisk.PdID, rules.Child(at, "pdID"))
	}},
	{"portworxVolume", func(v *corev1.PersistentVolume) bool { return v.Spec.PortworxVolume != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return rules.Required(v.Spec.PortworxVolume.VolumeID, rules.Child(at, "volumeID"))
	}},
	{"azureDisk", func(v *corev1.PersistentVolume) bool { return v.Spec.AzureDisk != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return azureDisk(v.Spec.AzureDisk, at)
	}},
	{"scaleIO", func(v *corev1.PersistentVolume) bool { return v.Spec.ScaleIO != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return scaleIO(v.Spec.ScaleIO.Gateway, v.Spec.ScaleIO.System, v.Spec.ScaleIO.VolumeName, at)
	}},
	{"local", func(v *corev1.PersistentVolume) bool { return v.Spec.Local != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		if v.Spec.Local.Path == "" {
			return field.ErrorList{field.Required(rules.Child(at, "path"), "")}
		}
		return noBacksteps(v.Spec.Local.Path, rules.Child(at, "path"))
	}},
	{"storageos", func(v *corev1.PersistentVolume) bool { return v.Spec.StorageOS != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(storageOS(v.Spec.StorageOS.VolumeName, v.Spec.StorageOS.VolumeNamespace, at))
		if ref := v.Spec.StorageOS.SecretRef; ref != nil {
			errs.Add(rules.Required(ref.Name, rules.Child(at, "secretRef", "name")))
			errs.Add(rules.Required(ref.Namespace, rules.Child(at, "secretRef", "namespace")))
		}
		return errs.List()
	}},
	{"csi", func(v *corev1.PersistentVolume) bool { return v.Spec.CSI != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList { return csiSource(v.Spec.CSI, at) }},
}

func secretOf(ref *corev1.SecretReference, at *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return append(rules.Required(ref.Name, rules.Child(at, "secretRef", "name")), rules.Required(ref.Namespace, rules.Child(at, "secretRef", "namespace"))...)
}

// csiSource checks a CSI volume, except for the secrets that it refers to: they are checked by rules.CSISecrets.
func csiSource(c *corev1.CSIPersistentVolumeSource, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.DriverName(c.Driver, rules.Child(at, "driver")))
	errs.Add(rules.Required(c.VolumeHandle, rules.Child(at, "volumeHandle")))
	return errs.List()
}

func partition(n int32, at *field.Path) field.ErrorList {
	return rules.Unless(n >= 0 && n <= 255, at, n, utilvalidation.InclusiveRangeError(1, 255))
}

func gceDisk(d *corev1.GCEPersistentDiskVolumeSource, at *field.Path) field.ErrorList {
	return append(rules.Required(d.PDName, rules.Child(at, "pdName")), partition(d.Partition, rules.Child(at, "partition"))...)
}

func awsDisk(d *corev1.AWSElasticBlockStoreVolumeSource, at *field.Path) field.ErrorList {
	return append(rules.Required(d.VolumeID, rules.Child(at, "volumeID")), partition(d.Partition, rules.Child(at, "partition"))...)
}

func flocker(f *corev1.FlockerVolumeSource, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if f.DatasetName == "" && f.DatasetUUID == "" {
		errs.Required(at, "one of datasetName and datasetUUID is required")
	}
	errs.Add(rules.Unless(f.DatasetName == "" || f.DatasetUUID == "", at, "resource", "datasetName and datasetUUID can not be specified simultaneously"))
	errs.Add(rules.Unless(!strings.Contains(f.DatasetName, "/"), rules.Child(at, "datasetName"), f.DatasetName, "must not contain '/'"))
	return errs.List()
}

func nfs(n *corev1.NFSVolumeSource, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Required(n.Server, rules.Child(at, "server")))
	errs.Add(rules.Required(n.Path, rules.Child(at, "path")))
	errs.Add(rules.Unless(path.IsAbs(n.Path), rules.Child(at, "path"), n.Path, "must be an absolute path"))
	return errs.List()
}

func rbd(monitors []string, image string, at *field.Path) field.ErrorList {
	return append(cephMonitors(monitors, at), rules.Required(image, rules.Child(at, "image"))...)
}

func cephMonitors(monitors []string, at *field.Path) field.ErrorList {
	if len(monitors) == 0 {
		return field.ErrorList{field.Required(rules.Child(at, "monitors"), "")}
	}
	return nil
}

func quobyte(q *corev1.QuobyteVolumeSource, at *field.Path) field.ErrorList {
	const pairs = "must be a host:port pair or multiple pairs separated by commas"
	var errs rules.Errors
	switch {
	case q.Registry == "":
		errs.Required(rules.Child(at, "registry"), pairs)
	case len(q.Tenant) >= 65:
		errs.Required(rules.Child(at, "tenant"), "must be a UUID and may not exceed a length of 64 characters")
	default:
		for _, pair := range strings.Split(q.Registry, ",") {
			_, _, err := net.SplitHostPort(pair)
			errs.Add(rules.Unless(err == nil, rules.Child(at, "registry"), q.Registry, pairs))
		}
	}
	errs.Add(rules.Required(q.Volume, rules.Child(at, "volume")))
	return errs.List()
}

const (
	maxISCSIName     = 64
	iscsiNameTooLong = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
)

// The formats of iSCSI names, by their prefix.
var iscsiForms = map[string]*regexp.Regexp{
	"iqn": regexp.MustCompile(`iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$`),
	"eui": regexp.MustCompile(`^eui.[[:alnum:]]{16}$`),
	"naa": regexp.MustCompile(`^naa.[[:alnum:]]{32}$`),
}

func iscsi(portal, iqn string, lun int32, initiator *string, lacksSecret bool, unknownForm string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Required(portal, rules.Child(at, "targetPortal")))
	if iqn == "" {
		errs.Required(rules.Child(at, "iqn"), "")
	} else {
		errs.Add(iscsiName(iqn, unknownForm, rules.Child(at, "iqn")))
	}
	errs.Add(rules.Unless(lun >= 0 && lun <= 255, rules.Child(at, "lun"), lun, utilvalidation.InclusiveRangeError(0, 255)))
	if lacksSecret {
		errs.Required(rules.Child(at, "secretRef"), "")
	}
	if initiator != nil {
		errs.Add(iscsiName(*initiator, unknownForm, rules.Child(at, "initiatorname")))
	}
	return errs.List()
}

func iscsiName(name, unknownForm string, at *field.Path) field.ErrorList {
	form, ok := iscsiForms[name[:min(3, len(name))]]
	if !ok {
		return field.ErrorList{field.Invalid(at, name, unknownForm)}
	}
	return rules.Unless(form.MatchString(name), at, name, "must be valid format")
}

func fibreChannel(f *corev1.FCVolumeSource, at *field.Path) field.ErrorList {
	var errs rules.Errors
	at, lun := rules.Child(at, "targetWWNs"), rules.Child(at, "lun")
	if len(f.TargetWWNs) == 0 && len(f.WWIDs) == 0 {
		errs.Required(at, "must specify either targetWWNs or wwids, but not both")
	}
	errs.Add(rules.Unless(len(f.TargetWWNs) == 0 || len(f.WWIDs) == 0, at, f.TargetWWNs, "targetWWNs and wwids can not be specified simultaneously"))
	switch {
	case len(f.TargetWWNs) == 0:
	case f.Lun == nil:
		errs.Required(lun, "lun is required if targetWWNs is specified")
	default:
		errs.Add(rules.Unless(*f.Lun >= 0 && *f.Lun <= 255, lun, f.Lun, utilvalidation.InclusiveRangeError(0, 255)))
	}
	return errs.List()
}

func flex(driver string, options map[string]string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Required(driver, rules.Child(at, "driver")))
	for key := range rules.Sorted(options) {
		domain, _, _ := strings.Cut(key, "/")
		domain = "." + strings.ToLower(domain)
		errs.Add(rules.Unless(!strings.HasSuffix(domain, ".kubernetes.io") && !strings.HasSuffix(domain, ".k8s.io"),
			rules.Keyed(rules.Child(at, "options"), key), key, "kubernetes.io and k8s.io namespaces are reserved"))
	}
	return errs.List()
}

func azureDisk(d *corev1.AzureDiskVolumeSource, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Required(d.DiskName, rules.Child(at, "diskName")))
	errs.Add(rules.Required(d.DataDiskURI, rules.Child(at, "diskURI")))
	if d.CachingMode != nil {
		errs.Add(rules.Choice(*d.CachingMode, rules.Child(at, "cachingMode"), corev1.AzureDataDiskCachingNone, corev1.AzureDataDiskCachingReadOnly, corev1.AzureDataDiskCachingReadWrite))
	}
	if d.Kind == nil {
		return errs.List()
	}
	errs.Add(rules.Choice(*d.Kind, rules.Child(at, "kind"), corev1.AzureDedicatedBlobDisk, corev1.AzureManagedDisk, corev1.AzureSharedBlobDisk))
	start, form := "https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
	if *d.Kind == corev1.AzureManagedDisk {
		start, form = "/subscriptions/", "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
	}
	if !strings.HasPrefix(d.DataDiskURI, start) {
		errs.Append(field.NotSupported(rules.Child(at, "diskURI"), d.DataDiskURI, []string{form}))
	}
	return errs.List()
}

func scaleIO(gateway, system, volume string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Required(gateway, rules.Child(at, "gateway")))
	errs.Add(rules.Required(system, rules.Child(at, "system")))
	errs.Add(rules.Required(volume, rules.Child(at, "volumeName")))
	return errs.List()
}

func storageOS(name, namespace string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Given(rules.Child(at, "volumeName"), name, rules.DNS1123Label))
	if namespace != "" {
		errs.Add(rules.Faults(rules.Child(at, "volumeNamespace"), namespace, rules.DNS1123Label(namespace)))
	}
	return errs.List()
}

// RecycledRoot forbids recycling the root directory of a node.
func RecycledRoot(s *corev1.PersistentVolumeSpec, at *field.Path) field.ErrorList {
	if s.HostPath == nil || path.Clean(s.HostPath.Path) != "/" || s.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRecycle {
		return nil
	}
	return field.ErrorList{field.Forbidden(at.Child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'")}
}
