package objects

import (
	"cmp"
	"net"
	"path"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// oneSource asks for one of some sources, and checks the first. The order is the server's,
// since it tells which one is too many.
func oneSource[T any](volume T, sources []volumeSource[T], tooMany string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	n := 0
	for i := range sources {
		s := &sources[i]
		switch {
		case !s.isSet(volume):
		case n > 0 && s.name != "flexVolume": // which the server forgets to count
			errs = append(errs, field.Forbidden(child(at, s.name), tooMany))
		default:
			n++
			if s.check != nil {
				errs = append(errs, s.check(volume, child(at, cmp.Or(sourcePaths[s.name], s.name)))...)
			}
		}
	}
	if n == 0 {
		errs = append(errs, field.Required(at, "must specify a volume type"))
	}
	return errs
}

// firstSource is the name of the source that is checked, if there is any.
func firstSource[T any](volume T, sources []volumeSource[T]) string {
	for i := range sources {
		if sources[i].isSet(volume) {
			return sources[i].name
		}
	}
	return ""
}

// sourcePaths are the sources that are called otherwise where something in them is wrong.
var sourcePaths = map[string]string{"cephFS": "cephfs", "downwarAPI": "downwardAPI", "gcePersistentDisk": "persistentDisk"}

// persistentSources are the sources that a persistent volume may have.
var persistentSources = []volumeSource[*corev1.PersistentVolume]{
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
		errs := append(required(v.Spec.Glusterfs.EndpointsName, child(at, "endpoints")), required(v.Spec.Glusterfs.Path, child(at, "path"))...)
		if n := v.Spec.Glusterfs.EndpointsNamespace; n != nil && *n == "" {
			errs = append(errs, field.Invalid(child(at, "endpointsNamespace"), *n, "if the endpointnamespace is set, it must be a valid namespace name"))
		} else if n != nil {
			errs = append(errs, faults(child(at, "endpointsNamespace"), *n, namespaceName(*n, false))...)
		}
		return errs
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
		errs := iscsi(i.TargetPortal, i.IQN, i.Lun, i.InitiatorName, (i.DiscoveryCHAPAuth || i.SessionCHAPAuth) && i.SecretRef == nil, "must be valid format", at)
		if i.InitiatorName != nil && len(v.Name+":"+i.TargetPortal) > maxISCSIName {
			errs = append(errs, field.Invalid(child(at, "targetportal"), i.TargetPortal, iscsiNameTooLong))
		}
		if i.SecretRef != nil {
			errs = append(errs, required(i.SecretRef.Name, child(at, "secretRef", "name"))...)
		}
		return errs
	}},
	{"cinder", func(v *corev1.PersistentVolume) bool { return v.Spec.Cinder != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return append(required(v.Spec.Cinder.VolumeID, child(at, "volumeID")), secretOf(v.Spec.Cinder.SecretRef, at)...)
	}},
	{"fc", func(v *corev1.PersistentVolume) bool { return v.Spec.FC != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList { return fibreChannel(v.Spec.FC, at) }},
	{"flexVolume", func(v *corev1.PersistentVolume) bool { return v.Spec.FlexVolume != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return flex(v.Spec.FlexVolume.Driver, v.Spec.FlexVolume.Options, at)
	}},
	{"azureFile", func(v *corev1.PersistentVolume) bool { return v.Spec.AzureFile != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		errs := append(required(v.Spec.AzureFile.SecretName, child(at, "secretName")), required(v.Spec.AzureFile.ShareName, child(at, "shareName"))...)
		if n := v.Spec.AzureFile.SecretNamespace; n != nil {
			errs = append(errs, required(*n, child(at, "secretNamespace"))...)
		}
		return errs
	}},
	{"vsphereVolume", func(v *corev1.PersistentVolume) bool { return v.Spec.VsphereVolume != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return required(v.Spec.VsphereVolume.VolumePath, child(at, "volumePath"))
	}},
	{"photonPersistentDisk", func(v *corev1.PersistentVolume) bool { return v.Spec.PhotonPersistentDisk != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return required(v.Spec.PhotonPersistentDisk.PdID, child(at, "pdID"))
	}},
	{"portworxVolume", func(v *corev1.PersistentVolume) bool { return v.Spec.PortworxVolume != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return required(v.Spec.PortworxVolume.VolumeID, child(at, "volumeID"))
	}},
	{"azureDisk", func(v *corev1.PersistentVolume) bool { return v.Spec.AzureDisk != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return azureDisk(v.Spec.AzureDisk, at)
	}},
	{"scaleIO", func(v *corev1.PersistentVolume) bool { return v.Spec.ScaleIO != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		return scaleIO(v.Spec.ScaleIO.Gateway, v.Spec.ScaleIO.System, v.Spec.ScaleIO.VolumeName, at)
	}},
	{"local", func(v *corev1.PersistentVolume) bool { return v.Spec.Local != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		if v.Spec.Local.Path == "" {
			return field.ErrorList{field.Required(child(at, "path"), "")}
		}
		return noBacksteps(v.Spec.Local.Path, child(at, "path"))
	}},
	{"storageos", func(v *corev1.PersistentVolume) bool { return v.Spec.StorageOS != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList {
		errs := storageOS(v.Spec.StorageOS.VolumeName, v.Spec.StorageOS.VolumeNamespace, at)
		if ref := v.Spec.StorageOS.SecretRef; ref != nil {
			errs = append(errs, required(ref.Name, child(at, "secretRef", "name"))...)
			errs = append(errs, required(ref.Namespace, child(at, "secretRef", "namespace"))...)
		}
		return errs
	}},
	{"csi", func(v *corev1.PersistentVolume) bool { return v.Spec.CSI != nil }, func(v *corev1.PersistentVolume, at *field.Path) field.ErrorList { return csiSource(v.Spec.CSI, at) }},
}

func secretOf(ref *corev1.SecretReference, at *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return append(required(ref.Name, child(at, "secretRef", "name")), required(ref.Namespace, child(at, "secretRef", "namespace"))...)
}

func csiSource(c *corev1.CSIPersistentVolumeSource, at *field.Path) field.ErrorList {
	errs := driverName(c.Driver, child(at, "driver"))
	errs = append(errs, required(c.VolumeHandle, child(at, "volumeHandle"))...)
	for _, ref := range []struct {
		name string
		to   *corev1.SecretReference
	}{
		{"controllerPublishSecretRef", c.ControllerPublishSecretRef}, {"controllerExpandSecretRef", c.ControllerExpandSecretRef},
		{"nodePublishSecretRef", c.NodePublishSecretRef}, {"nodeExpandSecretRef", c.NodeExpandSecretRef},
	} {
		if ref.to != nil {
			errs = append(errs, given(child(at, ref.name, "name"), ref.to.Name, dns1123Subdomain)...)
			errs = append(errs, given(child(at, ref.name, "namespace"), ref.to.Namespace, dns1123Label)...)
		}
	}
	return errs
}

const maxDriverName = 63

// driverName checks the name of a CSI driver.
func driverName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if len(name) > maxDriverName {
		errs = append(errs, field.TooLong(at, "", maxDriverName))
	}
	return append(errs, faults(at, name, dns1123Subdomain(strings.ToLower(name)))...)
}

func partition(n int32, at *field.Path) field.ErrorList {
	return unless(n >= 0 && n <= 255, at, n, utilvalidation.InclusiveRangeError(1, 255))
}

func gceDisk(d *corev1.GCEPersistentDiskVolumeSource, at *field.Path) field.ErrorList {
	return append(required(d.PDName, child(at, "pdName")), partition(d.Partition, child(at, "partition"))...)
}

func awsDisk(d *corev1.AWSElasticBlockStoreVolumeSource, at *field.Path) field.ErrorList {
	return append(required(d.VolumeID, child(at, "volumeID")), partition(d.Partition, child(at, "partition"))...)
}

func flocker(f *corev1.FlockerVolumeSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if f.DatasetName == "" && f.DatasetUUID == "" {
		errs = append(errs, field.Required(at, "one of datasetName and datasetUUID is required"))
	}
	errs = append(errs, unless(f.DatasetName == "" || f.DatasetUUID == "", at, "resource", "datasetName and datasetUUID can not be specified simultaneously")...)
	return append(errs, unless(!strings.Contains(f.DatasetName, "/"), child(at, "datasetName"), f.DatasetName, "must not contain '/'")...)
}

func nfs(n *corev1.NFSVolumeSource, at *field.Path) field.ErrorList {
	errs := append(required(n.Server, child(at, "server")), required(n.Path, child(at, "path"))...)
	return append(errs, unless(path.IsAbs(n.Path), child(at, "path"), n.Path, "must be an absolute path")...)
}

func rbd(monitors []string, image string, at *field.Path) field.ErrorList {
	return append(cephMonitors(monitors, at), required(image, child(at, "image"))...)
}

func cephMonitors(monitors []string, at *field.Path) field.ErrorList {
	if len(monitors) == 0 {
		return field.ErrorList{field.Required(child(at, "monitors"), "")}
	}
	return nil
}

func quobyte(q *corev1.QuobyteVolumeSource, at *field.Path) field.ErrorList {
	const pairs = "must be a host:port pair or multiple pairs separated by commas"
	var errs field.ErrorList
	switch {
	case q.Registry == "":
		errs = append(errs, field.Required(child(at, "registry"), pairs))
	case len(q.Tenant) >= 65:
		errs = append(errs, field.Required(child(at, "tenant"), "must be a UUID and may not exceed a length of 64 characters"))
	default:
		for _, pair := range strings.Split(q.Registry, ",") {
			_, _, err := net.SplitHostPort(pair)
			errs = append(errs, unless(err == nil, child(at, "registry"), q.Registry, pairs)...)
		}
	}
	return append(errs, required(q.Volume, child(at, "volume"))...)
}

const (
	maxISCSIName     = 64
	iscsiNameTooLong = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
)

// The forms of names of iSCSI, by how they begin.
var iscsiForms = map[string]*regexp.Regexp{
	"iqn": regexp.MustCompile(`iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$`),
	"eui": regexp.MustCompile(`^eui.[[:alnum:]]{16}$`),
	"naa": regexp.MustCompile(`^naa.[[:alnum:]]{32}$`),
}

func iscsi(portal, iqn string, lun int32, initiator *string, lacksSecret bool, unknownForm string, at *field.Path) field.ErrorList {
	errs := required(portal, child(at, "targetPortal"))
	if iqn == "" {
		errs = append(errs, field.Required(child(at, "iqn"), ""))
	} else {
		errs = append(errs, iscsiName(iqn, unknownForm, child(at, "iqn"))...)
	}
	errs = append(errs, unless(lun >= 0 && lun <= 255, child(at, "lun"), lun, utilvalidation.InclusiveRangeError(0, 255))...)
	if lacksSecret {
		errs = append(errs, field.Required(child(at, "secretRef"), ""))
	}
	if initiator != nil {
		errs = append(errs, iscsiName(*initiator, unknownForm, child(at, "initiatorname"))...)
	}
	return errs
}

func iscsiName(name, unknownForm string, at *field.Path) field.ErrorList {
	form, ok := iscsiForms[name[:min(3, len(name))]]
	if !ok {
		return field.ErrorList{field.Invalid(at, name, unknownForm)}
	}
	return unless(form.MatchString(name), at, name, "must be valid format")
}

func fibreChannel(f *corev1.FCVolumeSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	at, lun := child(at, "targetWWNs"), child(at, "lun")
	if len(f.TargetWWNs) == 0 && len(f.WWIDs) == 0 {
		errs = append(errs, field.Required(at, "must specify either targetWWNs or wwids, but not both"))
	}
	errs = append(errs, unless(len(f.TargetWWNs) == 0 || len(f.WWIDs) == 0, at, f.TargetWWNs, "targetWWNs and wwids can not be specified simultaneously")...)
	switch {
	case len(f.TargetWWNs) == 0:
	case f.Lun == nil:
		errs = append(errs, field.Required(lun, "lun is required if targetWWNs is specified"))
	default:
		errs = append(errs, unless(*f.Lun >= 0 && *f.Lun <= 255, lun, f.Lun, utilvalidation.InclusiveRangeError(0, 255))...)
	}
	return errs
}

func flex(driver string, options map[string]string, at *field.Path) field.ErrorList {
	errs := required(driver, child(at, "driver"))
	for key := range sorted(options) {
		domain, _, _ := strings.Cut(key, "/")
		domain = "." + strings.ToLower(domain)
		errs = append(errs, unless(!strings.HasSuffix(domain, ".kubernetes.io") && !strings.HasSuffix(domain, ".k8s.io"),
			keyed(child(at, "options"), key), key, "kubernetes.io and k8s.io namespaces are reserved")...)
	}
	return errs
}

func azureDisk(d *corev1.AzureDiskVolumeSource, at *field.Path) field.ErrorList {
	errs := append(required(d.DiskName, child(at, "diskName")), required(d.DataDiskURI, child(at, "diskURI"))...)
	if d.CachingMode != nil {
		errs = append(errs, choice(*d.CachingMode, child(at, "cachingMode"), corev1.AzureDataDiskCachingNone, corev1.AzureDataDiskCachingReadOnly, corev1.AzureDataDiskCachingReadWrite)...)
	}
	if d.Kind == nil {
		return errs
	}
	errs = append(errs, choice(*d.Kind, child(at, "kind"), corev1.AzureDedicatedBlobDisk, corev1.AzureManagedDisk, corev1.AzureSharedBlobDisk)...)
	start, form := "https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
	if *d.Kind == corev1.AzureManagedDisk {
		start, form = "/subscriptions/", "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
	}
	if !strings.HasPrefix(d.DataDiskURI, start) {
		errs = append(errs, field.NotSupported(child(at, "diskURI"), d.DataDiskURI, []string{form}))
	}
	return errs
}

func scaleIO(gateway, system, volume string, at *field.Path) field.ErrorList {
	errs := append(required(gateway, child(at, "gateway")), required(system, child(at, "system"))...)
	return append(errs, required(volume, child(at, "volumeName"))...)
}

func storageOS(name, namespace string, at *field.Path) field.ErrorList {
	errs := given(child(at, "volumeName"), name, dns1123Label)
	if namespace != "" {
		errs = append(errs, faults(child(at, "volumeNamespace"), namespace, dns1123Label(namespace))...)
	}
	return errs
}
