// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package core

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const betaStorageClassAnnotation = corev1.BetaStorageClassAnnotation

var reclaimPolicies = []string{"Delete", "Recycle", "Retain"}

func validateClaim(c *corev1.PersistentVolumeClaim, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	var before *corev1.PersistentVolumeClaimSpec
	if old := rules.OldOf[*corev1.PersistentVolumeClaim](r); old != nil {
		before = &old.Spec
	}
	return rules.ClaimSpec(&c.Spec, before, rules.SpecPath, r.Release)
}

// validateClaimUpdate allows a claim to be bound, and a bound claim to grow. Everything else stays the same.
func validateClaimUpdate(c, old *corev1.PersistentVolumeClaim, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return claimStatus(c, old, r.Release)
	}
	var errs rules.Errors
	after, before := c.Spec.DeepCopy(), old.Spec.DeepCopy()
	sameDataSource(before, r.Release) // it may have been written before there were two fields
	if before.VolumeName == "" {
		before.VolumeName = after.VolumeName
	}
	previous, current := old.Annotations[betaStorageClassAnnotation], c.Annotations[betaStorageClassAnnotation]
	switch {
	case movesClassToField(c, old):
		after.StorageClassName = nil
	default:
		errs.Add(rules.Unless(previous == current, rules.MetadataPath.Child("annotations", betaStorageClassAnnotation), current, validation.FieldImmutableErrorMsg))
		if name := after.StorageClassName; name != nil && before.StorageClassName == nil && r.Release.Has(kubeversion.ClassesSetLater) && (!rules.Has(old.Annotations, betaStorageClassAnnotation) || *name == previous) {
			after.StorageClassName = nil
		}
	}
	grows := r.Release.Has(kubeversion.ClaimsGrow) || r.Release.Enabled("ExpandPersistentVolumes")
	if c.Status.Phase == corev1.ClaimBound && grows {
		if after.Resources.Requests != nil {
			after.Resources.Requests[corev1.ResourceStorage] = rules.AsStored(old.Spec.Resources.Requests[corev1.ResourceStorage])
		}
	}
	if changesAttributes(c, r.Release) {
		after.VolumeAttributesClassName = before.VolumeAttributesClassName
	}
	if claims, oldClaims := deviceClaims(c), deviceClaims(old); !semantic.DeepEqual(after, before) || !semantic.DeepEqual(claims, oldClaims) {
		errs.Forbidden(rules.SpecPath, claimSpecWords(grows, r.Release)+claimSpecDiff(rules.PartOf(old.Annotations, *before), rules.PartOf(c.Annotations, *after), r.Release))
	}
	if grows {
		errs.Add(keepsCapacity(c, old, r))
	}
	errs.Add(validation.ValidateImmutableField(c.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode")))
	errs.Add(keepsAttributes(c, old, r))
	return errs.List()
}

// changesAttributes reports whether a changed class of volume attributes is no change of the immutable spec.
func changesAttributes(c *corev1.PersistentVolumeClaim, r *kubeversion.Release) bool {
	switch {
	case !r.Has(kubeversion.ClaimAttributesBound):
		return true
	case c.Spec.VolumeAttributesClassName == nil && !r.Has(kubeversion.VolumeAttributesByStatus):
		return false
	}
	return c.Status.Phase == corev1.ClaimBound
}

// claimSpecWords returns the error about what must not change in a claim.
func claimSpecWords(grows bool, r *kubeversion.Release) string {
	text := "spec is immutable after creation except resources.requests for bound claims"
	switch {
	case !grows:
		text = "field is immutable after creation"
	case r.Has(kubeversion.ClaimAttributesNamed):
		text = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
	case !r.Has(kubeversion.ClaimSpecShown):
		text = "is immutable after creation except resources.requests for bound claims"
	}
	return text
}

// claimSpecDiff returns the diff that the server adds to this error since 1.19.
func claimSpecDiff(before, after any, r *kubeversion.Release) string {
	if !r.Has(kubeversion.ClaimSpecShown) {
		return ""
	}
	return "\n" + rules.SpecDiff(r, before, after)
}

// movesClassToField reports whether the class moves from the annotation to the field.
func movesClassToField(c, old *corev1.PersistentVolumeClaim) bool {
	before, ok := old.Annotations[betaStorageClassAnnotation]
	after, still := c.Annotations[betaStorageClassAnnotation]
	return ok && old.Spec.StorageClassName == nil && c.Spec.StorageClassName != nil && *c.Spec.StorageClassName == before && (!still || after == before)
}

// keepsCapacity allows a claim that cannot grow to shrink again, if the release supports this.
func keepsCapacity(c, old *corev1.PersistentVolumeClaim, r rules.Request) field.ErrorList {
	at := rules.SpecPath.Child("resources", "requests", "storage")
	after, before := c.Spec.Resources.Requests[corev1.ResourceStorage], old.Spec.Resources.Requests[corev1.ResourceStorage]
	switch {
	case after.Cmp(before) >= 0:
	case !recovers(old, r.Release):
		return field.ErrorList{field.Forbidden(at, "field can not be less than previous value")}
	case after.Cmp(old.Status.Capacity[corev1.ResourceStorage]) <= 0:
		return field.ErrorList{field.Forbidden(at, "field can not be less than status.capacity")}
	}
	return nil
}

// recovers reports whether a claim may recover from an expansion that failed.
func recovers(old *corev1.PersistentVolumeClaim, r *kubeversion.Release) bool {
	return r.Enabled("RecoverVolumeExpansionFailure") ||
		r.Has(kubeversion.ExpansionsRecoverable) && len(old.Status.AllocatedResources)+len(old.Status.AllocatedResourceStatuses) > 0
}

// keepsAttributes requires a class to stay once it is in use; up to 1.33, once it was requested.
func keepsAttributes(c, old *corev1.PersistentVolumeClaim, r rules.Request) field.ErrorList {
	at, after, before := rules.SpecPath.Child("volumeAttributesClassName"), c.Spec.VolumeAttributesClassName, old.Spec.VolumeAttributesClassName
	if semantic.DeepEqual(after, before) {
		return nil
	}
	errs := attributesOn(at, r)
	if len(errs) > 0 && before == nil {
		return errs
	}
	inUse, toNil, toEmpty := old.Status.CurrentVolumeAttributesClassName != nil,
		"update to nil is forbidden when status.currentVolumeAttributesClassName is not nil",
		"update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil"
	if !r.Release.Has(kubeversion.VolumeAttributesByStatus) {
		inUse, toNil, toEmpty = before != nil, "update from non-nil value to nil is forbidden", "update from non-nil value to an empty string is forbidden"
	}
	switch {
	case !inUse:
	case after == nil:
		errs = append(errs, field.Forbidden(at, toNil))
	case *after == "":
		errs = append(errs, field.Forbidden(at, toEmpty))
	}
	return errs
}

// attributesOn returns an error if classes of volume attributes may not change.
func attributesOn(at *field.Path, r rules.Request) field.ErrorList {
	if r.Release.Enabled("VolumeAttributesClass") {
		return nil
	}
	return field.ErrorList{field.Forbidden(at, "update is forbidden when the VolumeAttributesClass feature gate is disabled")}
}

var resizeStatuses = []corev1.ClaimResourceStatus{
	corev1.PersistentVolumeClaimControllerResizeInProgress, corev1.PersistentVolumeClaimControllerResizeInfeasible,
	corev1.PersistentVolumeClaimNodeResizePending, corev1.PersistentVolumeClaimNodeResizeInProgress,
	corev1.PersistentVolumeClaimNodeResizeInfeasible,
}

var formerResizeStatuses = []corev1.ClaimResourceStatus{
	corev1.PersistentVolumeClaimControllerResizeInProgress, "ControllerResizeFailed",
	corev1.PersistentVolumeClaimNodeResizePending, corev1.PersistentVolumeClaimNodeResizeInProgress, "NodeResizeFailed",
}

// expansionStatuses are the values of the resizeStatus of a claim (k8s.io/api@v0.26.15:core/v1/types.go).
var expansionStatuses = []builtin.PersistentVolumeClaimResizeStatus{
	"", "ControllerExpansionFailed", "ControllerExpansionInProgress", "NodeExpansionFailed", "NodeExpansionInProgress", "NodeExpansionPending",
}

func claimStatus(c, old *corev1.PersistentVolumeClaim, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	if len(c.Spec.AccessModes) == 0 {
		errs.Required(field.NewPath("Spec", "accessModes"), "")
	}
	at := field.NewPath("status")
	for name, q := range rules.Sorted(c.Status.Capacity) {
		errs.Add(basicQuantity(q, at.Child("capacity").Key(string(name))))
	}
	if h := c.Status.HealthStatus; h != nil {
		for i, c := range h.HealthConditions {
			if c.Reason != "" {
				errs.Add(rules.Faults(at.Child("healthStatus", "healthConditions").Index(i).Child("reason"), c.Reason, metav1validation.IsValidConditionReason(c.Reason)))
			}
		}
	}
	if !recovers(old, r) {
		return errs.List()
	}
	if s := resizeStatus(c); s != nil && !slices.Contains(expansionStatuses, *s) {
		errs.Append(field.NotSupported(at.Child("resizeStatus"), *s, expansionStatuses))
	}
	statuses, known := at.Child("allocatedResourceStatuses"), resizeStatuses
	if !r.Has(kubeversion.ClaimStatusesSpelled) {
		statuses = at.Child("allocatedResourceStatus")
	}
	if !r.Has(kubeversion.InfeasibleResizes) {
		known = formerResizeStatuses
	}
	for name, s := range rules.Sorted(c.Status.AllocatedResourceStatuses) {
		if wrong := claimResource(string(name), statuses); len(wrong) > 0 {
			errs.Add(wrong)
		}
		if !slices.Contains(known, s) { // the server shows what is resized, and not the status
			errs.Append(field.NotSupported(statuses, rules.TypedName(name), slices.Sorted(slices.Values(known))))
		}
	}
	allocated := at.Child("allocatedResources")
	for name, q := range rules.Sorted(c.Status.AllocatedResources) {
		if name == corev1.ResourceStorage {
			errs.Add(basicQuantity(q, allocated.Key(string(name))))
			continue
		}
		if wrong := claimResource(string(name), allocated); len(wrong) > 0 {
			errs.Add(wrong)
		} else {
			errs.Add(rules.ReadQuantity(name, q, allocated.Key(string(name))))
		}
	}
	return errs.List()
}

// claimResource checks the name of a resource of a claim.
func claimResource(name string, at *field.Path) field.ErrorList {
	if errs := rules.Faults(at, name, utilvalidation.IsQualifiedName(name)); len(errs) > 0 {
		return errs
	}
	if rules.IsNative(corev1.ResourceName(name)) && name != string(corev1.ResourceStorage) {
		return field.ErrorList{field.NotSupported(at, name, []corev1.ResourceName{corev1.ResourceStorage})}
	}
	return nil
}

func classAnnotationWarnings(annotations map[string]string, r rules.Request) []string {
	if !rules.Has(annotations, betaStorageClassAnnotation) || !r.Release.Has(kubeversion.OldStorageWarnings) {
		return nil
	}
	return []string{rules.MetadataPath.Child("annotations").Key(betaStorageClassAnnotation).String() + `: deprecated since v1.8; use "storageClassName" attribute instead`}
}

func validateVolume(v *corev1.PersistentVolume, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	s := &v.Spec
	var errs rules.Errors
	if len(s.AccessModes) == 0 {
		errs.Required(rules.SpecPath.Child("accessModes"), "")
	}
	old := &corev1.PersistentVolume{}
	if existing := rules.OldOf[*corev1.PersistentVolume](r); existing != nil {
		old = existing
	}
	errs.Add(rules.AccessModes(s.AccessModes, old.Spec.AccessModes, rules.SpecPath.Child("accessModes"), r.Release))
	errs.Add(volumeCapacity(s.Capacity, rules.SpecPath.Child("capacity")))
	errs.Add(rules.OneOf(&s.PersistentVolumeReclaimPolicy, reclaimPolicies, rules.SpecPath.Child("persistentVolumeReclaimPolicy")))
	errs.Add(volumeAffinity(s.NodeAffinity, rules.SpecPath.Child("nodeAffinity"), r))
	errs.Add(pod.OneSource(v, pod.PersistentSources, "may not specify more than 1 volume type", rules.SpecPath))
	if pod.FirstSource(v, pod.PersistentSources) == "csi" {
		errs.Add(rules.CSISecrets(s.CSI, old.Spec.CSI, rules.SpecPath.Child("csi"), r.Release))
	}
	if s.NodeAffinity == nil && pod.FirstSource(v, pod.PersistentSources) == "local" {
		errs.Required(rules.SpecPath.Child("nodeAffinity"), "Local volume requires node affinity")
	}
	errs.Add(pod.RecycledRoot(s, rules.SpecPath))
	errs.Add(rules.SubdomainIfGiven(rules.SpecPath.Child("storageClassName"), s.StorageClassName))
	errs.Add(rules.OneOf(s.VolumeMode, rules.VolumeModes, rules.SpecPath.Child("volumeMode")))
	if old := rules.OldOf[*corev1.PersistentVolume](r); r.Release.Enabled("VolumeAttributesClass") || old != nil && old.Spec.VolumeAttributesClassName != nil {
		errs.Add(attributesClass(s))
	}
	return errs.List()
}

func attributesClass(s *corev1.PersistentVolumeSpec) field.ErrorList {
	name := s.VolumeAttributesClassName
	if name == nil {
		return nil
	}
	at := rules.SpecPath.Child("volumeAttributesClassName")
	var errs rules.Errors
	errs.Add(rules.SubdomainIfGiven(at, *name))
	if *name == "" {
		errs.Required(at, "an empty string is disallowed")
	}
	if s.CSI == nil {
		errs.Required(rules.SpecPath.Child("csi"), "has to be specified when using volumeAttributesClassName")
	}
	return errs.List()
}

func volumeCapacity(capacity corev1.ResourceList, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if len(capacity) == 0 {
		errs.Required(at, "")
	}
	if !rules.Has(capacity, corev1.ResourceStorage) || len(capacity) > 1 {
		errs.Append(field.NotSupported(at, capacity, []string{"storage"}))
	}
	for name, q := range rules.Sorted(capacity) {
		errs.Add(basicQuantity(q, at.Key(string(name))))
		errs.Add(rules.Positive(q, at.Key(string(name))))
	}
	return errs.List()
}

func basicQuantity(q resource.Quantity, at *field.Path) field.ErrorList {
	return rules.Unless(q.Value() >= 0, at, q.Value(), "must be a valid resource quantity")
}

func validateVolumeUpdate(v, old *corev1.PersistentVolume, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return nil
	}
	source := v.Spec.PersistentVolumeSource.DeepCopy()
	if before := old.Spec.CSI; before != nil && before.ControllerExpandSecretRef == nil && source.CSI != nil {
		source.CSI.ControllerExpandSecretRef = nil // it may be set once
	}
	var errs rules.Errors
	if before := old.Spec.PersistentVolumeSource; !semantic.DeepEqual(*source, before) {
		text := "is immutable after creation"
		if r.Release.Has(kubeversion.ClaimSpecShown) {
			text = "spec.persistentvolumesource is immutable after creation\n" + rules.SpecDiff(r.Release, before, *source)
		}
		errs.Forbidden(rules.SpecPath.Child("persistentvolumesource"), text)
	}
	errs.Add(validation.ValidateImmutableField(v.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode")))
	if old.Spec.NodeAffinity != nil && !r.Release.Enabled("MutablePVNodeAffinity") {
		errs.Add(keepsNodeAffinity(v.Spec.NodeAffinity, old.Spec.NodeAffinity, r.Release))
	}
	at, after, before := rules.SpecPath.Child("volumeAttributesClassName"), v.Spec.VolumeAttributesClassName, old.Spec.VolumeAttributesClassName
	if !semantic.DeepEqual(after, before) {
		errs.Add(attributesOn(at, r))
	}
	if before != nil && after == nil {
		errs.Forbidden(at, "update from non-nil value to nil is forbidden")
	}
	return errs.List()
}

// keepsNodeAffinity only allows old names of labels to be replaced, and in earlier releases not even this.
func keepsNodeAffinity(a, old *corev1.VolumeNodeAffinity, r *kubeversion.Release) field.ErrorList {
	words := validation.FieldImmutableErrorMsg
	if r.Has(kubeversion.VolumeLabelsRenamed) {
		old = withModernLabels(old, a)
		words += ", except for updating from beta label to GA"
	}
	return rules.Unless(semantic.DeepEqual(a, old), field.NewPath("nodeAffinity"), rules.AsInternal(a), words)
}

// modernLabels maps old names of node labels to the current ones.
var modernLabels = map[string]string{
	corev1.LabelFailureDomainBetaZone:   corev1.LabelTopologyZone,
	corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
	"beta.kubernetes.io/os":             corev1.LabelOSStable,
	"beta.kubernetes.io/arch":           corev1.LabelArchStable,
	corev1.LabelInstanceType:            corev1.LabelInstanceTypeStable,
}

// withModernLabels returns old with the label names of a, if a only replaces old names of labels with current ones.
func withModernLabels(old, a *corev1.VolumeNodeAffinity) *corev1.VolumeNodeAffinity {
	if a == nil || a.Required == nil || old == nil || old.Required == nil {
		return old
	}
	old = old.DeepCopy()
	for i := range min(len(old.Required.NodeSelectorTerms), len(a.Required.NodeSelectorTerms)) {
		before, after := old.Required.NodeSelectorTerms[i].MatchExpressions, a.Required.NodeSelectorTerms[i].MatchExpressions
		for j := range min(len(before), len(after)) {
			if modernLabels[before[j].Key] == after[j].Key {
				before[j].Key = after[j].Key
			}
		}
	}
	return old
}

func volumeAffinity(a *corev1.VolumeNodeAffinity, path *field.Path, r rules.Request) field.ErrorList {
	if a == nil {
		return nil
	}
	if a.Required == nil {
		return field.ErrorList{field.Required(path.Child("required"), "must specify required node constraints")}
	}
	return pod.NodeSelector(a.Required, pod.RequiredValues(r), path.Child("required"))
}
