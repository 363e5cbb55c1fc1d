package objects

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
)

func validateCSIDriver(d *storagev1.CSIDriver, _ request) field.ErrorList {
	s := &d.Spec
	errs := oneOf(s.FSGroupPolicy, []string{"File", "None", "ReadWriteOnceWithFSType"}, specPath.Child("fsGroupPolicy"))
	seen := map[string]bool{}
	for i, t := range s.TokenRequests {
		at := specPath.Child("tokenRequests").Index(i)
		if seen[t.Audience] {
			errs = append(errs, field.Duplicate(at.Child("audience"), t.Audience))
			continue
		}
		seen[t.Audience] = true
		if n := t.ExpirationSeconds; n != nil {
			errs = append(errs, unless(*n >= 600, at.Child("expirationSeconds"), *n, "may not specify a duration less than 10 minutes")...)
			errs = append(errs, unless(*n <= 1<<32, at.Child("expirationSeconds"), *n, "may not specify a duration larger than 2^32 seconds")...)
		}
	}
	for _, m := range s.VolumeLifecycleModes {
		errs = append(errs, oneOf(&m, []string{"Persistent", "Ephemeral"}, specPath.Child("volumeLifecycleModes"))...)
	}
	if n := s.NodeAllocatableUpdatePeriodSeconds; n != nil {
		errs = append(errs, unless(*n >= 10, specPath.Child("nodeAllocatableUpdatePeriodSeconds"), *n, "must be greater than or equal to 10 seconds")...)
	}
	return append(errs, unless(s.ServiceAccountTokenInSecrets == nil || len(s.TokenRequests) > 0, specPath.Child("serviceAccountTokenInSecrets"), s.ServiceAccountTokenInSecrets, "serviceAccountTokenInSecrets is set but no tokenRequests are specified")...)
}

func validateCSIDriverUpdate(d, old *storagev1.CSIDriver, _ request) field.ErrorList {
	errs := validation.ValidateImmutableField(d.Spec.AttachRequired, old.Spec.AttachRequired, specPath.Child("attachedRequired"))
	return append(errs, validation.ValidateImmutableField(d.Spec.VolumeLifecycleModes, old.Spec.VolumeLifecycleModes, specPath.Child("volumeLifecycleModes"))...)
}

const maxNodeID = 256

func validateCSINode(n *storagev1.CSINode, _ request) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, d := range n.Spec.Drivers {
		at := specPath.Child("drivers").Index(i)
		errs = append(errs, driverName(d.Name, at.Child("name"))...)
		errs = append(errs, required(d.NodeID, at.Child("nodeID"))...)
		errs = append(errs, unless(len(d.NodeID) <= maxNodeID, at.Child("nodeID"), d.NodeID, fmt.Sprintf("must be %d characters or less", maxNodeID))...)
		if d.Allocatable != nil {
			errs = append(errs, notNegativePointer(d.Allocatable.Count, at.Child("allocatable", "count"))...)
		}
		if names[d.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), d.Name))
		}
		names[d.Name] = true
		for j, key := range d.TopologyKeys {
			errs = append(errs, required(key, at)...)
			if slices.Contains(d.TopologyKeys[:j], key) {
				errs = append(errs, field.Duplicate(at, key))
			}
			errs = append(errs, qualifiedName(key, at)...)
		}
	}
	return errs
}

func validateCSINodeUpdate(n, old *storagev1.CSINode, _ request) field.ErrorList {
	var errs field.ErrorList
	for _, was := range old.Spec.Drivers {
		for _, is := range n.Spec.Drivers {
			if is.Name == was.Name {
				is.Allocatable, was.Allocatable = nil, nil
				if !semantic.DeepEqual(is, was) {
					errs = append(errs, field.Invalid(specPath.Child("drivers"), asInternal(is), validation.FieldImmutableErrorMsg))
				}
			}
		}
	}
	return errs
}

func validateCSICapacity(c *storagev1.CSIStorageCapacity, _ request) field.ErrorList {
	errs := labelSelector(c.NodeTopology, field.NewPath("nodeTopology"))
	errs = append(errs, subdomain(c.StorageClassName, field.NewPath("storageClassName"))...)
	if q := c.Capacity; q != nil {
		errs = append(errs, unless(q.Sign() >= 0, field.NewPath("capacity"), q.String(), validation.IsNegativeErrorMsg)...)
	}
	return errs
}

func validateCSICapacityUpdate(c, old *storagev1.CSIStorageCapacity, _ request) field.ErrorList {
	errs := unless(semantic.DeepEqual(c.NodeTopology, old.NodeTopology), field.NewPath("nodeTopology"), c.NodeTopology, validation.FieldImmutableErrorMsg)
	return append(errs, unless(c.StorageClassName == old.StorageClassName, field.NewPath("storageClassName"), c.StorageClassName, validation.FieldImmutableErrorMsg)...)
}

func validateAttachment(a *storagev1.VolumeAttachment, r request) field.ErrorList {
	const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
	errs := driverName(a.Spec.Attacher, specPath.Child("attacher"))
	source, at := a.Spec.Source, specPath.Child("source")
	switch name := source.PersistentVolumeName; {
	case source.InlineVolumeSpec == nil && name == nil:
		errs = append(errs, field.Required(at, one))
	case source.InlineVolumeSpec != nil && name != nil:
		errs = append(errs, field.Forbidden(at, one))
	case name != nil && *name == "":
		errs = append(errs, field.Required(at.Child("persistentVolumeName"), "must specify non empty persistentVolumeName"))
	case source.InlineVolumeSpec != nil:
		errs = append(errs, inlineVolume(source.InlineVolumeSpec, at.Child("inlineVolumeSpec"))...)
	}
	errs = append(errs, attachmentErrorCode(a.Status.AttachError, "attachError")...)
	errs = append(errs, attachmentErrorCode(a.Status.DetachError, "detachError")...)
	if name := source.PersistentVolumeName; name != nil {
		errs = append(errs, subdomain(*name, field.NewPath("spec.source.persistentVolumeName"))...)
	}
	return append(errs, subdomain(a.Spec.NodeName, specPath.Child("nodeName"))...)
}

func attachmentErrorCode(e *storagev1.VolumeError, name string) field.ErrorList {
	if e == nil || e.ErrorCode == nil {
		return nil
	}
	return unless(*e.ErrorCode >= 0, field.NewPath("status", name, "errorCode"), *e.ErrorCode, utilvalidation.InclusiveRangeError(0, math.MaxInt32))
}

// inlineVolume checks a volume that is written into its attachment, and cannot be claimed.
func inlineVolume(s *corev1.PersistentVolumeSpec, at *field.Path) field.ErrorList {
	const inline = " in the context of inline volumes"
	var errs field.ErrorList
	no := func(name, words string, set bool) {
		if set {
			errs = append(errs, field.Forbidden(at.Child(name), words+inline))
		}
	}
	no("claimRef", "may not be specified", s.ClaimRef != nil)
	no("capacity", "may not be specified", len(s.Capacity) > 0)
	if s.CSI == nil {
		errs = append(errs, field.Required(at.Child("csi"), "has to be specified"+inline))
	}
	no("persistentVolumeReclaimPolicy", "may only be Retain", s.PersistentVolumeReclaimPolicy != "" && s.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain)
	no("nodeAffinity", "may not be specified", s.NodeAffinity != nil)
	no("storageClassName", "may not be specified", s.StorageClassName != "")
	no("volumeMode", "may not specify volumeMode other than Filesystem", s.VolumeMode != nil && *s.VolumeMode != corev1.PersistentVolumeFilesystem)
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), ""))
	}
	errs = append(errs, volumeAccess(s.AccessModes, at.Child("accessModes"))...)
	v := &corev1.PersistentVolume{Spec: *s}
	errs = append(errs, oneSource(v, persistentSources, "may not specify more than 1 volume type", at)...)
	if firstSource(v, persistentSources) == "local" {
		errs = append(errs, field.Required(at.Child("nodeAffinity"), "Local volume requires node affinity")) // which it may not have
	}
	return append(errs, recycledRoot(s, at)...)
}

func validateAttachmentUpdate(a, old *storagev1.VolumeAttachment, _ request) field.ErrorList {
	return unless(semantic.DeepEqual(a.Spec, old.Spec), specPath, asInternal(a.Spec), validation.FieldImmutableErrorMsg)
}

func validateAttributesClass(c *storagev1.VolumeAttributesClass, _ request) field.ErrorList {
	errs := provisioner(c.DriverName, field.NewPath("driverName"))
	return append(errs, classParameters(c.Parameters, false)...)
}

func validateAttributesClassUpdate(c, old *storagev1.VolumeAttributesClass, _ request) field.ErrorList {
	var errs field.ErrorList
	if c.DriverName != old.DriverName {
		errs = append(errs, field.Forbidden(field.NewPath("driverName"), "updates to driverName are forbidden."))
	}
	if !semantic.DeepEqual(c.Parameters, old.Parameters) {
		errs = append(errs, field.Forbidden(field.NewPath("parameters"), "updates to parameters are forbidden."))
	}
	return errs
}
