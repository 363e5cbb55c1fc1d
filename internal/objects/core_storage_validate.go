package objects

import (
	"path"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const betaStorageClassAnnotation = corev1.BetaStorageClassAnnotation

var (
	accessModes     = []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
	volumeModes     = []string{"Block", "Filesystem"}
	reclaimPolicies = []string{"Delete", "Recycle", "Retain"}
)

func validateClaim(c *corev1.PersistentVolumeClaim, r request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	old := was[*corev1.PersistentVolumeClaim](r)
	return claimSpec(&c.Spec, specPath, claimLeniency(old))
}

// A lenient claim had before what would be refused in a new one.
type lenientClaim struct{ selector, groups bool }

func claimLeniency(old *corev1.PersistentVolumeClaim) lenientClaim {
	if old == nil {
		return lenientClaim{}
	}
	s := &old.Spec
	return lenientClaim{
		selector: metav1validation.LabelSelectorHasInvalidLabelValue(s.Selector),
		groups:   s.DataSource != nil && s.DataSource.APIGroup != nil || s.DataSourceRef != nil && s.DataSourceRef.APIGroup != nil,
	}
}

// claimSpec checks a claim, or the template of one.
func claimSpec(s *corev1.PersistentVolumeClaimSpec, at *field.Path, allow lenientClaim) field.ErrorList {
	var errs field.ErrorList
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), "at least 1 access mode is required"))
	}
	errs = append(errs, volumeAccess(s.AccessModes, at.Child("accessModes"))...)
	errs = append(errs, metav1validation.ValidateLabelSelector(s.Selector, metav1validation.LabelSelectorValidationOptions{AllowInvalidLabelValueInSelector: allow.selector}, at.Child("selector"))...)
	if q, ok := s.Resources.Requests[corev1.ResourceStorage]; !ok {
		errs = append(errs, field.Required(at.Child("resources").Key("storage"), ""))
	} else {
		errs = append(errs, positive(q, at.Child("resources").Key("storage"))...)
	}
	if s.StorageClassName != nil {
		errs = append(errs, subdomainIfGiven(at.Child("storageClassName"), *s.StorageClassName)...)
	}
	errs = append(errs, oneOf(s.VolumeMode, volumeModes, at.Child("volumeMode"))...)
	errs = append(errs, dataSources(s, at, allow.groups)...)
	if s.VolumeAttributesClassName != nil {
		errs = append(errs, subdomainIfGiven(at.Child("volumeAttributesClassName"), *s.VolumeAttributesClassName)...)
	}
	return errs
}

func positive(q resource.Quantity, at *field.Path) field.ErrorList {
	return unless(q.Sign() > 0, at, q.String(), "must be greater than zero")
}

func volumeAccess(modes []corev1.PersistentVolumeAccessMode, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	others := false
	for _, m := range modes {
		errs = append(errs, oneOf(&m, accessModes, path)...)
		others = others || m != corev1.ReadWriteOncePod && slices.Contains(accessModes, string(m))
	}
	if others && slices.Contains(modes, corev1.ReadWriteOncePod) {
		errs = append(errs, field.Forbidden(path, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

func dataSources(s *corev1.PersistentVolumeClaimSpec, at *field.Path, anyGroup bool) field.ErrorList {
	var errs field.ErrorList
	d, ref := s.DataSource, s.DataSourceRef
	if d != nil {
		errs = append(errs, dataSource(d.APIGroup, d.Kind, d.Name, anyGroup, at.Child("dataSource"))...)
	}
	if ref == nil {
		return errs
	}
	errs = append(errs, dataSource(ref.APIGroup, ref.Kind, ref.Name, anyGroup, at.Child("dataSourceRef"))...)
	elsewhere := ref.Namespace != nil && *ref.Namespace != ""
	if elsewhere {
		errs = append(errs, faults(at.Child("dataSourceRef", "namespace"), *ref.Namespace, namespaceName(*ref.Namespace, false))...)
	}
	switch {
	case d == nil:
	case elsewhere:
		errs = append(errs, field.Invalid(at, at.Child("dataSource"), "may not be specified when dataSourceRef.namespace is specified"))
	case !reflect.DeepEqual(d.APIGroup, ref.APIGroup) || d.Kind != ref.Kind || d.Name != ref.Name:
		errs = append(errs, field.Invalid(at, at.Child("dataSource"), "must match dataSourceRef"))
	}
	return errs
}

func dataSource(group *string, kind, name string, anyGroup bool, path *field.Path) field.ErrorList {
	errs := append(required(name, path.Child("name")), required(kind, path.Child("kind"))...)
	g := ""
	if group != nil {
		g = *group
	}
	errs = append(errs, unless(g != "" || kind == "PersistentVolumeClaim", path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")...)
	if anyGroup {
		return errs
	}
	return append(errs, subdomainIfGiven(path.Child("apiGroup"), g)...)
}

// validateClaimUpdate lets a claim be bound, and a bound one grow: everything else stays.
func validateClaimUpdate(c, old *corev1.PersistentVolumeClaim, r request) field.ErrorList {
	if r.Subresource == "status" {
		return claimStatus(c)
	}
	var errs field.ErrorList
	after, before := c.Spec.DeepCopy(), old.Spec.DeepCopy()
	sameDataSource(before) // what was written before there were two fields
	if before.VolumeName == "" {
		before.VolumeName = after.VolumeName
	}
	was, is := old.Annotations[betaStorageClassAnnotation], c.Annotations[betaStorageClassAnnotation]
	switch {
	case movesClassToField(c, old):
		after.StorageClassName = nil
	default:
		errs = append(errs, unless(was == is, metadataPath.Child("annotations", betaStorageClassAnnotation), is, validation.FieldImmutableErrorMsg)...)
		if name := after.StorageClassName; name != nil && before.StorageClassName == nil && (!has(old.Annotations, betaStorageClassAnnotation) || *name == was) {
			after.StorageClassName = nil
		}
	}
	if c.Status.Phase == corev1.ClaimBound {
		if after.Resources.Requests != nil {
			after.Resources.Requests[corev1.ResourceStorage] = old.Spec.Resources.Requests[corev1.ResourceStorage]
		}
		after.VolumeAttributesClassName = before.VolumeAttributesClassName
	}
	if !semantic.DeepEqual(after, before) {
		errs = append(errs, field.Forbidden(specPath, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"+InternalDiff(before, after)))
	}
	errs = append(errs, keepsCapacity(c, old, r)...)
	errs = append(errs, validation.ValidateImmutableField(c.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
	return append(errs, keepsAttributes(c, old, r)...)
}

// movesClassToField tells whether the class that was an annotation becomes the field.
func movesClassToField(c, old *corev1.PersistentVolumeClaim) bool {
	was, ok := old.Annotations[betaStorageClassAnnotation]
	is, still := c.Annotations[betaStorageClassAnnotation]
	return ok && old.Spec.StorageClassName == nil && c.Spec.StorageClassName != nil && *c.Spec.StorageClassName == was && (!still || is == was)
}

// keepsCapacity lets a claim that cannot grow shrink again, if the release knows how to.
func keepsCapacity(c, old *corev1.PersistentVolumeClaim, r request) field.ErrorList {
	at := specPath.Child("resources", "requests", "storage")
	asked, before := c.Spec.Resources.Requests[corev1.ResourceStorage], old.Spec.Resources.Requests[corev1.ResourceStorage]
	switch {
	case asked.Cmp(before) >= 0:
	case !r.Release.Enabled("RecoverVolumeExpansionFailure"):
		return field.ErrorList{field.Forbidden(at, "field can not be less than previous value")}
	case asked.Cmp(old.Status.Capacity[corev1.ResourceStorage]) <= 0:
		return field.ErrorList{field.Forbidden(at, "field can not be less than status.capacity")}
	}
	return nil
}

// keepsAttributes asks that a class stays once it is in use; up to 1.33, once it was asked for.
func keepsAttributes(c, old *corev1.PersistentVolumeClaim, r request) field.ErrorList {
	at, is, was := specPath.Child("volumeAttributesClassName"), c.Spec.VolumeAttributesClassName, old.Spec.VolumeAttributesClassName
	if semantic.DeepEqual(is, was) {
		return nil
	}
	if !r.Release.Enabled("VolumeAttributesClass") {
		return field.ErrorList{field.Forbidden(at, "update is forbidden when the VolumeAttributesClass feature gate is disabled")}
	}
	inUse, toNil, toEmpty := old.Status.CurrentVolumeAttributesClassName != nil,
		"update to nil is forbidden when status.currentVolumeAttributesClassName is not nil",
		"update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil"
	if !r.Release.Has(kubeversion.VolumeAttributesByStatus) {
		inUse, toNil, toEmpty = was != nil, "update from non-nil value to nil is forbidden", "update from non-nil value to an empty string is forbidden"
	}
	switch {
	case !inUse:
	case is == nil:
		return field.ErrorList{field.Forbidden(at, toNil)}
	case *is == "":
		return field.ErrorList{field.Forbidden(at, toEmpty)}
	}
	return nil
}

var resizeStatuses = []corev1.ClaimResourceStatus{
	corev1.PersistentVolumeClaimControllerResizeInProgress, corev1.PersistentVolumeClaimControllerResizeInfeasible,
	corev1.PersistentVolumeClaimNodeResizePending, corev1.PersistentVolumeClaimNodeResizeInProgress,
	corev1.PersistentVolumeClaimNodeResizeInfeasible,
}

func claimStatus(c *corev1.PersistentVolumeClaim) field.ErrorList {
	var errs field.ErrorList
	at := field.NewPath("status")
	for name, q := range sorted(c.Status.Capacity) {
		errs = append(errs, basicQuantity(q, at.Child("capacity").Key(string(name)))...)
	}
	statuses := at.Child("allocatedResourceStatuses")
	for name, s := range sorted(c.Status.AllocatedResourceStatuses) {
		if wrong := claimResource(string(name), statuses); len(wrong) > 0 {
			errs = append(errs, wrong...)
		}
		if !slices.Contains(resizeStatuses, s) { // the server shows what is resized, not how it went
			errs = append(errs, field.NotSupported(statuses, name, slices.Sorted(slices.Values(resizeStatuses))))
		}
	}
	allocated := at.Child("allocatedResources")
	for name, q := range sorted(c.Status.AllocatedResources) {
		if name == corev1.ResourceStorage {
			errs = append(errs, basicQuantity(q, allocated.Key(string(name)))...)
			continue
		}
		if wrong := claimResource(string(name), allocated); len(wrong) > 0 {
			errs = append(errs, wrong...)
		} else {
			errs = append(errs, quantity(name, q, allocated.Key(string(name)))...)
		}
	}
	return errs
}

// claimResource checks the name of something that a claim has an amount of.
func claimResource(name string, at *field.Path) field.ErrorList {
	if errs := faults(at, name, utilvalidation.IsQualifiedName(name)); len(errs) > 0 {
		return errs
	}
	if isNative(corev1.ResourceName(name)) && name != string(corev1.ResourceStorage) {
		return field.ErrorList{field.NotSupported(at, name, []corev1.ResourceName{corev1.ResourceStorage})}
	}
	return nil
}

func classAnnotationWarnings(annotations map[string]string) []string {
	if !has(annotations, betaStorageClassAnnotation) {
		return nil
	}
	return []string{metadataPath.Child("annotations").Key(betaStorageClassAnnotation).String() + `: deprecated since v1.8; use "storageClassName" attribute instead`}
}

func validateVolume(v *corev1.PersistentVolume, r request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	s := &v.Spec
	var errs field.ErrorList
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(specPath.Child("accessModes"), ""))
	}
	errs = append(errs, volumeAccess(s.AccessModes, specPath.Child("accessModes"))...)
	errs = append(errs, volumeCapacity(s.Capacity, specPath.Child("capacity"))...)
	errs = append(errs, oneOf(&s.PersistentVolumeReclaimPolicy, reclaimPolicies, specPath.Child("persistentVolumeReclaimPolicy"))...)
	errs = append(errs, volumeAffinity(s.NodeAffinity, specPath.Child("nodeAffinity"), r)...)
	errs = append(errs, oneSource(v, persistentSources, "may not specify more than 1 volume type", specPath)...)
	if s.NodeAffinity == nil && firstSource(v, persistentSources) == "local" {
		errs = append(errs, field.Required(specPath.Child("nodeAffinity"), "Local volume requires node affinity"))
	}
	errs = append(errs, recycledRoot(s, specPath)...)
	errs = append(errs, subdomainIfGiven(specPath.Child("storageClassName"), s.StorageClassName)...)
	errs = append(errs, oneOf(s.VolumeMode, volumeModes, specPath.Child("volumeMode"))...)
	return append(errs, attributesClass(s)...)
}

// recycledRoot forbids that the whole disk of a node is wiped.
func recycledRoot(s *corev1.PersistentVolumeSpec, at *field.Path) field.ErrorList {
	if s.HostPath == nil || path.Clean(s.HostPath.Path) != "/" || s.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRecycle {
		return nil
	}
	return field.ErrorList{field.Forbidden(at.Child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'")}
}

func attributesClass(s *corev1.PersistentVolumeSpec) field.ErrorList {
	name := s.VolumeAttributesClassName
	if name == nil {
		return nil
	}
	at := specPath.Child("volumeAttributesClassName")
	errs := subdomainIfGiven(at, *name)
	if *name == "" {
		errs = append(errs, field.Required(at, "an empty string is disallowed"))
	}
	if s.CSI == nil {
		errs = append(errs, field.Required(specPath.Child("csi"), "has to be specified when using volumeAttributesClassName"))
	}
	return errs
}

func volumeCapacity(capacity corev1.ResourceList, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(capacity) == 0 {
		errs = append(errs, field.Required(at, ""))
	}
	if !has(capacity, corev1.ResourceStorage) || len(capacity) > 1 {
		errs = append(errs, field.NotSupported(at, capacity, []string{"storage"}))
	}
	for name, q := range sorted(capacity) {
		errs = append(errs, basicQuantity(q, at.Key(string(name)))...)
		errs = append(errs, positive(q, at.Key(string(name)))...)
	}
	return errs
}

func basicQuantity(q resource.Quantity, at *field.Path) field.ErrorList {
	return unless(q.Value() >= 0, at, q.Value(), "must be a valid resource quantity")
}

func validateVolumeUpdate(v, old *corev1.PersistentVolume, r request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	source := v.Spec.PersistentVolumeSource.DeepCopy()
	if was := old.Spec.CSI; was != nil && was.ControllerExpandSecretRef == nil && source.CSI != nil {
		source.CSI.ControllerExpandSecretRef = nil // may be set once
	}
	var errs field.ErrorList
	if before := old.Spec.PersistentVolumeSource; !semantic.DeepEqual(*source, before) {
		errs = append(errs, field.Forbidden(specPath.Child("persistentvolumesource"), "spec.persistentvolumesource is immutable after creation\n"+InternalDiff(before, source)))
	}
	errs = append(errs, validation.ValidateImmutableField(v.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
	if old.Spec.NodeAffinity != nil && !semantic.DeepEqual(v.Spec.NodeAffinity, withModernLabels(old.Spec.NodeAffinity, v.Spec.NodeAffinity)) {
		errs = append(errs, field.Invalid(field.NewPath("nodeAffinity"), asInternal(v.Spec.NodeAffinity), validation.FieldImmutableErrorMsg+", except for updating from beta label to GA"))
	}
	if old.Spec.VolumeAttributesClassName != nil && v.Spec.VolumeAttributesClassName == nil {
		errs = append(errs, field.Forbidden(specPath.Child("volumeAttributesClassName"), "update from non-nil value to nil is forbidden"))
	}
	return errs
}

// modernLabels are what labels of nodes were called once.
var modernLabels = map[string]string{
	corev1.LabelFailureDomainBetaZone:   corev1.LabelTopologyZone,
	corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
	"beta.kubernetes.io/os":             corev1.LabelOSStable,
	"beta.kubernetes.io/arch":           corev1.LabelArchStable,
	corev1.LabelInstanceType:            corev1.LabelInstanceTypeStable,
}

// withModernLabels is old as a says it, where all that a changes is to call labels what they
// are called today.
func withModernLabels(old, a *corev1.VolumeNodeAffinity) *corev1.VolumeNodeAffinity {
	if a == nil || a.Required == nil || old == nil || old.Required == nil {
		return old
	}
	old = old.DeepCopy()
	for i := range min(len(old.Required.NodeSelectorTerms), len(a.Required.NodeSelectorTerms)) {
		was, is := old.Required.NodeSelectorTerms[i].MatchExpressions, a.Required.NodeSelectorTerms[i].MatchExpressions
		for j := range min(len(was), len(is)) {
			if modernLabels[was[j].Key] == is[j].Key {
				was[j].Key = is[j].Key
			}
		}
	}
	return old
}

func volumeAffinity(a *corev1.VolumeNodeAffinity, path *field.Path, r request) field.ErrorList {
	if a == nil {
		return nil
	}
	if a.Required == nil {
		return field.ErrorList{field.Required(path.Child("required"), "must specify required node constraints")}
	}
	return nodeSelector(a.Required, anyLabelValue(r), path.Child("required"))
}
