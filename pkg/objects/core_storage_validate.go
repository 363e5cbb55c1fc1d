package objects

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const betaStorageClassAnnotation = corev1.BetaStorageClassAnnotation

var (
	accessModes     = []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
	volumeModes     = []string{"Block", "Filesystem"}
	reclaimPolicies = []string{"Delete", "Recycle", "Retain"}
)

func validateClaim(c *corev1.PersistentVolumeClaim, _ request) field.ErrorList {
	s := &c.Spec
	var errs field.ErrorList
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(specPath.Child("accessModes"), "at least 1 access mode is required"))
	}
	errs = append(errs, volumeAccess(s.AccessModes, specPath.Child("accessModes"))...)
	errs = append(errs, labelSelector(s.Selector, specPath.Child("selector"))...)
	if q, ok := s.Resources.Requests[corev1.ResourceStorage]; !ok {
		errs = append(errs, field.Required(specPath.Child("resources").Key("storage"), ""))
	} else {
		errs = append(errs, unless(q.Sign() > 0, specPath.Child("resources").Key("storage"), q.String(), "must be greater than zero")...)
	}
	if s.StorageClassName != nil {
		errs = append(errs, subdomainIfGiven(specPath.Child("storageClassName"), *s.StorageClassName)...)
	}
	errs = append(errs, oneOf(s.VolumeMode, volumeModes, specPath.Child("volumeMode"))...)
	if d := s.DataSource; d != nil {
		errs = append(errs, dataSource(d.APIGroup, d.Kind, d.Name, specPath.Child("dataSource"))...)
	}
	if d := s.DataSourceRef; d != nil {
		errs = append(errs, dataSource(d.APIGroup, d.Kind, d.Name, specPath.Child("dataSourceRef"))...)
	}
	return errs
}

func volumeAccess(modes []corev1.PersistentVolumeAccessMode, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, m := range modes {
		errs = append(errs, oneOf(&m, accessModes, path)...)
	}
	if len(modes) > 1 && slices.Contains(modes, corev1.ReadWriteOncePod) {
		errs = append(errs, field.Forbidden(path, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

func dataSource(group *string, kind, name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	if kind == "" {
		errs = append(errs, field.Required(path.Child("kind"), ""))
	}
	g := ""
	if group != nil {
		g = *group
	}
	if g == "" && kind != "PersistentVolumeClaim" {
		errs = append(errs, field.Invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
	}
	return append(errs, subdomainIfGiven(path.Child("apiGroup"), g)...)
}

func classAnnotationWarnings(annotations map[string]string) []string {
	if !has(annotations, betaStorageClassAnnotation) {
		return nil
	}
	return []string{metadataPath.Child("annotations").Key(betaStorageClassAnnotation).String() + `: deprecated since v1.8; use "storageClassName" attribute instead`}
}

func validateVolume(v *corev1.PersistentVolume, _ request) field.ErrorList {
	s := &v.Spec
	var errs field.ErrorList
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(specPath.Child("accessModes"), ""))
	}
	errs = append(errs, volumeAccess(s.AccessModes, specPath.Child("accessModes"))...)
	capacity := specPath.Child("capacity")
	if len(s.Capacity) == 0 {
		errs = append(errs, field.Required(capacity, ""))
	}
	if q, ok := s.Capacity[corev1.ResourceStorage]; !ok || len(s.Capacity) > 1 {
		errs = append(errs, field.NotSupported(capacity, s.Capacity, []string{"storage"}))
	} else {
		errs = append(errs, unless(q.Sign() > 0, capacity.Key("storage"), q.String(), "must be greater than zero")...)
	}
	errs = append(errs, oneOf(&s.PersistentVolumeReclaimPolicy, reclaimPolicies, specPath.Child("persistentVolumeReclaimPolicy"))...)
	errs = append(errs, volumeAffinity(s.NodeAffinity, specPath.Child("nodeAffinity"))...)
	if c := s.CSI; c != nil {
		errs = append(errs, csiSource(c, specPath.Child("csi"))...)
	}
	errs = append(errs, subdomainIfGiven(specPath.Child("storageClassName"), s.StorageClassName)...)
	return append(errs, oneOf(s.VolumeMode, volumeModes, specPath.Child("volumeMode"))...)
}

func csiSource(c *corev1.CSIPersistentVolumeSource, path *field.Path) field.ErrorList {
	errs := given(path.Child("driver"), c.Driver, utilvalidation.IsDNS1123Subdomain)
	if c.VolumeHandle == "" {
		errs = append(errs, field.Required(path.Child("volumeHandle"), ""))
	}
	return errs
}

func volumeAffinity(a *corev1.VolumeNodeAffinity, path *field.Path) field.ErrorList {
	if a == nil {
		return nil
	}
	path = path.Child("required")
	if a.Required == nil {
		return field.ErrorList{field.Required(path, "must specify required node constraints")}
	}
	path = path.Child("nodeSelectorTerms")
	if len(a.Required.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(path, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i, term := range a.Required.NodeSelectorTerms {
		for j, e := range term.MatchExpressions {
			errs = append(errs, volumeNodes(e, path.Index(i).Child("matchExpressions").Index(j))...)
		}
	}
	return errs
}

func volumeNodes(e corev1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	values := path.Child("values")
	switch e.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(e.Values) == 0 {
			errs = append(errs, field.Required(values, "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(e.Values) > 0 {
			errs = append(errs, field.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(e.Values) != 1 {
			errs = append(errs, field.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
		}
	default:
		errs = append(errs, field.Invalid(path.Child("operator"), e.Operator, "not a valid selector operator"))
	}
	errs = append(errs, faults(path.Child("key"), e.Key, content.IsLabelKey(e.Key))...)
	for i, v := range e.Values {
		errs = append(errs, labelValue(v, values.Index(i))...)
	}
	return errs
}
