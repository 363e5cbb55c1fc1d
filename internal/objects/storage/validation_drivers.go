// kubernetes/kubernetes:pkg/apis/storage/validation/validation.go

package storage

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func validateCSIDriver(d *storagev1.CSIDriver, r rules.Request) field.ErrorList {
	s := &d.Spec
	var errs rules.Errors
	if !r.Release.Has(kubeversion.CSIDriversCheckedOnce) {
		errs.Add(rules.DriverName(d.Name, field.NewPath("name")))
	}
	errs.Add(rules.OneOf(s.FSGroupPolicy, []string{"File", "None", "ReadWriteOnceWithFSType"}, rules.SpecPath.Child("fsGroupPolicy")))
	errs.Add(tokenRequests(s.TokenRequests))
	for _, m := range s.VolumeLifecycleModes {
		errs.Add(rules.OneOf(&m, []string{"Persistent", "Ephemeral"}, rules.SpecPath.Child("volumeLifecycleModes")))
	}
	if n := s.NodeAllocatableUpdatePeriodSeconds; n != nil {
		errs.Add(rules.Unless(*n >= 10, rules.SpecPath.Child("nodeAllocatableUpdatePeriodSeconds"), *n, "must be greater than or equal to 10 seconds"))
	}
	errs.Add(rules.Unless(s.ServiceAccountTokenInSecrets == nil || len(s.TokenRequests) > 0, rules.SpecPath.Child("serviceAccountTokenInSecrets"), s.ServiceAccountTokenInSecrets, "serviceAccountTokenInSecrets is set but no tokenRequests are specified"))
	return errs.List()
}

func tokenRequests(requests []storagev1.TokenRequest) field.ErrorList {
	var errs rules.Errors
	seen := map[string]bool{}
	for i, t := range requests {
		at := rules.SpecPath.Child("tokenRequests").Index(i)
		if seen[t.Audience] {
			errs.Duplicate(at.Child("audience"), t.Audience)
			continue
		}
		seen[t.Audience] = true
		if n := t.ExpirationSeconds; n != nil {
			errs.Add(rules.Unless(*n >= 600, at.Child("expirationSeconds"), *n, "may not specify a duration less than 10 minutes"))
			errs.Add(rules.Unless(*n <= 1<<32, at.Child("expirationSeconds"), *n, "may not specify a duration larger than 2^32 seconds"))
		}
	}
	return errs.List()
}

func validateCSIDriverUpdate(d, old *storagev1.CSIDriver, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if r.Release.Has(kubeversion.ChangedCSIDriversChecked) || !r.Release.Has(kubeversion.CSIDriversCheckedOnce) {
		errs.Add(validateCSIDriver(d, r))
	}
	if !r.Release.Has(kubeversion.CSIDriversMutable) {
		errs.Add(rules.Unless(semantic.DeepEqual(d.Spec, old.Spec), rules.SpecPath, rules.AsInternal(d.Spec), validation.FieldImmutableErrorMsg))
		return errs.List()
	}
	policiesMutable := r.Release.Has(kubeversion.CSIDriverPoliciesMutable)
	errs.Add(validation.ValidateImmutableField(d.Spec.AttachRequired, old.Spec.AttachRequired, rules.SpecPath.Child("attachedRequired")))
	if !policiesMutable {
		errs.Add(validation.ValidateImmutableField(d.Spec.FSGroupPolicy, old.Spec.FSGroupPolicy, rules.SpecPath.Child("fsGroupPolicy")))
		errs.Add(validation.ValidateImmutableField(d.Spec.PodInfoOnMount, old.Spec.PodInfoOnMount, rules.SpecPath.Child("podInfoOnMount")))
	}
	errs.Add(validation.ValidateImmutableField(d.Spec.VolumeLifecycleModes, old.Spec.VolumeLifecycleModes, rules.SpecPath.Child("volumeLifecycleModes")))
	if !r.Release.Has(kubeversion.ChangedCSIDriversChecked) {
		errs.Add(validation.ValidateImmutableField(d.Spec.StorageCapacity, old.Spec.StorageCapacity, rules.SpecPath.Child("storageCapacity")))
	}
	if !policiesMutable {
		errs.Add(tokenRequests(d.Spec.TokenRequests)) // these releases check them again
	}
	return errs.List()
}

const (
	maxHealthConditions = 16
	maxConditionReason  = 256
	maxConditionMessage = 1 << 10
)

// storageHealths checks what drivers report about the health of a node's storage.
func storageHealths(healths []storagev1.StorageHealth, path *field.Path) field.ErrorList {
	var errs rules.Errors
	names := map[string]bool{}
	for i, h := range healths {
		at := path.Index(i)
		if names[h.Name] {
			errs.Duplicate(at, h.Name)
		}
		names[h.Name] = true
		if h.Name == "" {
			errs.Required(at.Child("name"), "")
		} else {
			errs.Add(rules.DriverName(h.Name, at.Child("name")))
		}
		if n := len(h.HealthConditions); n > maxHealthConditions {
			errs.TooMany(at.Child("healthConditions"), n, maxHealthConditions)
			continue
		}
		for j, c := range h.HealthConditions {
			errs.Add(storageHealth(c, at.Child("healthConditions").Index(j)))
		}
	}
	return errs.List()
}

func storageHealth(c storagev1.StorageHealthCondition, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.OneOf(&c.Status, []string{"StorageDegraded", "StorageUnreachable"}, at.Child("status")))
	if c.Reason == "" {
		errs.Required(at.Child("reason"), "")
	} else {
		errs.Add(rules.Faults(at.Child("reason"), c.Reason, metav1validation.IsValidConditionReason(c.Reason)))
	}
	if len(c.Reason) > maxConditionReason {
		errs.TooLong(at.Child("reason"), c.Reason, maxConditionReason)
	}
	if len(c.Message) > maxConditionMessage {
		errs.TooLong(at.Child("message"), c.Message, maxConditionMessage)
	}
	errs.Add(rules.OneOf(c.AccessMode, []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, at.Child("accessMode")))
	errs.Add(rules.OneOf(c.VolumeMode, []string{"Filesystem", "Block"}, at.Child("volumeMode")))
	return errs.List()
}

// maxNodeID returns how long the name of a node may be for a driver, and which limit an error names. While this changed, an
// update that replaced a longer name already had the next limit; the error of the first release with two limits names the old one.
func maxNodeID(r rules.Request) (most, named int) {
	now, next := 128, 192
	switch {
	case r.Release.Has(kubeversion.LongerNodeIDs):
		return 256, 256
	case r.Release.Has(kubeversion.LongNodeIDs):
		now, next = 192, 256
	}
	old := rules.OldOf[*storagev1.CSINode](r)
	isLong := func(d storagev1.CSINodeDriver) bool { return len(d.NodeID) > now }
	switch {
	case old == nil || !r.Release.Has(kubeversion.LongNodeIDsKept) || !slices.ContainsFunc(old.Spec.Drivers, isLong):
		return now, now
	case r.Release.Has(kubeversion.LongNodeIDs):
		return next, next
	}
	return next, now
}

func validateCSINode(n *storagev1.CSINode, r rules.Request) field.ErrorList {
	var errs rules.Errors
	most, named := maxNodeID(r)
	names := map[string]bool{}
	for i, d := range n.Spec.Drivers {
		at := rules.SpecPath.Child("drivers").Index(i)
		errs.Add(rules.DriverName(d.Name, at.Child("name")))
		errs.Add(rules.Required(d.NodeID, at.Child("nodeID")))
		errs.Add(rules.Unless(len(d.NodeID) <= most, at.Child("nodeID"), d.NodeID, fmt.Sprintf("must be %d characters or less", named)))
		if d.Allocatable != nil {
			errs.Add(rules.NotNegativePointer(d.Allocatable.Count, at.Child("allocatable", "count")))
		}
		if names[d.Name] {
			errs.Duplicate(at.Child("name"), d.Name)
		}
		names[d.Name] = true
		for j, key := range d.TopologyKeys {
			errs.Add(rules.Required(key, at))
			if slices.Contains(d.TopologyKeys[:j], key) {
				errs.Duplicate(at, key)
			}
			var shown any = key
			if !r.Release.Has(kubeversion.TopologyKeyShown) {
				shown = d.TopologyKeys
			}
			errs.Add(rules.Faults(at, shown, content.IsLabelKey(key)))
		}
	}
	return errs.List()
}

func validateCSINodeUpdate(n, old *storagev1.CSINode, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return storageHealths(n.Status.StorageHealth, field.NewPath("status", "storageHealth"))
	}
	at := rules.SpecPath.Child("drivers")
	if !r.Release.Has(kubeversion.CSINodeDriversPath) {
		at = field.NewPath("CSINodeDriver")
	}
	mutable := r.Release.Has(kubeversion.CSINodeDriversPath) && !r.Release.Disabled("MutableCSINodeAllocatableCount")
	var errs rules.Errors
	for _, before := range old.Spec.Drivers {
		for _, is := range n.Spec.Drivers {
			if is.Name == before.Name {
				if mutable {
					is.Allocatable, before.Allocatable = nil, nil
				}
				if !semantic.DeepEqual(is, before) {
					errs.Invalid(at, rules.AsInternal(is), validation.FieldImmutableErrorMsg)
				}
			}
		}
	}
	return errs.List()
}

func validateCSICapacity(c *storagev1.CSIStorageCapacity, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.LabelValues.Selector(c.NodeTopology, field.NewPath("nodeTopology")))
	errs.Add(rules.Subdomain(c.StorageClassName, field.NewPath("storageClassName")))
	if q := c.Capacity; q != nil {
		errs.Add(rules.Unless(q.Sign() >= 0, field.NewPath("capacity"), q.String(), validation.IsNegativeErrorMsg))
	}
	return errs.List()
}

func validateCSICapacityUpdate(c, old *storagev1.CSIStorageCapacity, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Unless(semantic.DeepEqual(c.NodeTopology, old.NodeTopology), field.NewPath("nodeTopology"), c.NodeTopology, validation.FieldImmutableErrorMsg))
	errs.Add(rules.Unless(c.StorageClassName == old.StorageClassName, field.NewPath("storageClassName"), c.StorageClassName, validation.FieldImmutableErrorMsg))
	return errs.List()
}

func validateAttachment(a *storagev1.VolumeAttachment, r rules.Request) field.ErrorList {
	const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
	var errs rules.Errors
	attacher := rules.SpecPath.Child("attacher")
	checked := r.Release.Has(kubeversion.AttachersChecked)
	if checked {
		errs.Add(rules.DriverName(a.Spec.Attacher, attacher))
	} else if a.Spec.Attacher == "" {
		errs.Required(attacher, "")
	}
	source, at := a.Spec.Source, rules.SpecPath.Child("source")
	switch name := source.PersistentVolumeName; {
	case source.InlineVolumeSpec == nil && name == nil && r.Release.Disabled("CSIMigration"):
		errs.Required(at, "must specify persistentVolumeName when CSIMigration feature is disabled")
	case source.InlineVolumeSpec == nil && name == nil:
		errs.Required(at, one)
	case source.InlineVolumeSpec != nil && name != nil:
		errs.Forbidden(at, one)
	case name != nil && *name == "":
		errs.Required(at.Child("persistentVolumeName"), "must specify non empty persistentVolumeName")
	case source.InlineVolumeSpec != nil:
		errs.Add(inlineVolume(source.InlineVolumeSpec, at.Child("inlineVolumeSpec"), r.Release))
	}
	size := 0
	for key, value := range a.Status.AttachmentMetadata {
		size += len(key) + len(value)
	}
	if at := field.NewPath("status", "attachmentMetadata"); size > maxAttachmentMetadata {
		errs.TooLong(at, "", maxAttachmentMetadata)
	}
	errs.Add(attachmentError(a.Status.AttachError, field.NewPath("status", "attachError"), r))
	errs.Add(attachmentError(a.Status.DetachError, field.NewPath("status", "detachError"), r))
	if !checked {
		errs.Add(rules.Subdomain(a.Spec.NodeName, rules.SpecPath.Child("nodeName")))
		if r.Old != nil || r.IsBeta() {
			return errs.List()
		}
		errs.Add(rules.DriverName(a.Spec.Attacher, attacher))
	}
	if name := source.PersistentVolumeName; name != nil {
		errs.Add(rules.Subdomain(*name, field.NewPath("spec.source.persistentVolumeName")))
	}
	if checked {
		errs.Add(rules.Subdomain(a.Spec.NodeName, rules.SpecPath.Child("nodeName")))
	}
	return errs.List()
}

const (
	maxAttachmentMetadata = 256 << 10
	maxVolumeError        = 1 << 10
)

func attachmentError(e *storagev1.VolumeError, at *field.Path, r rules.Request) field.ErrorList {
	if e == nil {
		return nil
	}
	var errs rules.Errors
	if len(e.Message) > maxVolumeError {
		most := maxAttachmentMetadata
		if r.Release.Has(kubeversion.ShortVolumeErrors) {
			most = maxVolumeError
		}
		errs.TooLong(at.Child("message"), "", most)
	}
	if e.ErrorCode != nil {
		errs.Add(rules.Unless(*e.ErrorCode >= 0, at.Child("errorCode"), *e.ErrorCode, utilvalidation.InclusiveRangeError(0, math.MaxInt32)))
	}
	return errs.List()
}

// inlineVolume checks a volume that is defined in its attachment, and cannot be claimed.
func inlineVolume(s *corev1.PersistentVolumeSpec, at *field.Path, r *kubeversion.Release) field.ErrorList {
	const inline = " in the context of inline volumes"
	var errs rules.Errors
	no := func(name, words string, set bool) {
		if set {
			errs.Forbidden(at.Child(name), words+inline)
		}
	}
	no("claimRef", "may not be specified", s.ClaimRef != nil)
	no("capacity", "may not be specified", len(s.Capacity) > 0)
	if s.CSI == nil {
		errs.Required(at.Child("csi"), "has to be specified"+inline)
	}
	no("persistentVolumeReclaimPolicy", "may only be Retain", s.PersistentVolumeReclaimPolicy != "" && s.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain)
	no("nodeAffinity", "may not be specified", s.NodeAffinity != nil)
	no("storageClassName", "may not be specified", s.StorageClassName != "")
	no("volumeMode", "may not specify volumeMode other than Filesystem", s.VolumeMode != nil && *s.VolumeMode != corev1.PersistentVolumeFilesystem)
	if len(s.AccessModes) == 0 {
		errs.Required(at.Child("accessModes"), "")
	}
	errs.Add(rules.InlineAccessModes(s.AccessModes, at.Child("accessModes"), r))
	v := &corev1.PersistentVolume{Spec: *s}
	errs.Add(pod.OneSource(v, pod.PersistentSources, "may not specify more than 1 volume type", at))
	switch pod.FirstSource(v, pod.PersistentSources) {
	case "csi":
		errs.Add(rules.CSISecrets(s.CSI, nil, at.Child("csi"), r))
	case "local":
		errs.Required(at.Child("nodeAffinity"), "Local volume requires node affinity") // it must not have one
	}
	errs.Add(pod.RecycledRoot(s, at))
	return errs.List()
}

func validateAttachmentUpdate(a, old *storagev1.VolumeAttachment, _ rules.Request) field.ErrorList {
	return rules.Unless(semantic.DeepEqual(a.Spec, old.Spec), rules.SpecPath, rules.AsInternal(a.Spec), validation.FieldImmutableErrorMsg)
}

func validateAttributesClass(c *storagev1.VolumeAttributesClass, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(provisioner(c.DriverName, field.NewPath("driverName")))
	errs.Add(classParameters(c.Parameters, false))
	return errs.List()
}

func validateAttributesClassUpdate(c, old *storagev1.VolumeAttributesClass, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	if c.DriverName != old.DriverName {
		errs.Forbidden(field.NewPath("driverName"), "updates to driverName are forbidden.")
	}
	if !semantic.DeepEqual(c.Parameters, old.Parameters) {
		errs.Forbidden(field.NewPath("parameters"), "updates to parameters are forbidden.")
	}
	return errs.List()
}
