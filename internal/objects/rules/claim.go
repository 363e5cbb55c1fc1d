// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package rules

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// ClaimMetadata checks the metadata of a template for claims. It may only have labels and annotations, since the rest
// would have no effect: kubernetes/kubernetes:pkg/apis/core/validation/validation.go, ValidateTemplateObjectMeta.
func ClaimMetadata(m *metav1.ObjectMeta, at *field.Path, r *kubeversion.Release) field.ErrorList {
	var errs Errors
	errs.Add(validation.ValidateAnnotations(m.Annotations, Child(at, "annotations")))
	errs.Add(metav1validation.ValidateLabels(m.Labels, Child(at, "labels")))
	rest := *m
	rest.Annotations, rest.Labels = nil, nil
	refused := "cannot be set"
	if !r.Has(kubeversion.TemplateMetadataShared) {
		refused = "cannot be set for an ephemeral volume"
	}
	refuse := func(name string) { errs.Forbidden(Child(at, strings.ToLower(name[:1])+name[1:]), refused) }
	v := reflect.ValueOf(rest)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		for former, value := range formerBefore(r, v.Type(), name, m.Annotations) {
			if !value.IsZero() {
				refuse(former)
			}
		}
		if !v.Field(i).IsZero() {
			refuse(name)
		}
	}
	return errs.List()
}

func DefaultClaim(c *corev1.PersistentVolumeClaim) {
	SetZero(&c.Status.Phase, corev1.ClaimPending)
	RoundUp(c.Status.Capacity, c.Status.AllocatedResources)
	DefaultClaimSpec(&c.Spec)
}

func DefaultClaimSpec(s *corev1.PersistentVolumeClaimSpec) {
	SetDefault(&s.VolumeMode, corev1.PersistentVolumeFilesystem)
	RoundUp(s.Resources.Limits, s.Resources.Requests)
}

// VolumeModes are the values of volumeMode.
var VolumeModes = []string{"Block", "Filesystem"}

// ClaimTemplate checks the template of a claim that is created for a pod.
func ClaimTemplate(s *corev1.PersistentVolumeClaimSpec, at *field.Path, r *kubeversion.Release) field.ErrorList {
	return Inexcusable(ClaimSpec(s, nil, at, r))
}

// ClaimSpec checks the spec of a claim; old is nil on create. If the old claim named a group, the new one may name any.
func ClaimSpec(s, old *corev1.PersistentVolumeClaimSpec, at *field.Path, r *kubeversion.Release) field.ErrorList {
	var modes []corev1.PersistentVolumeAccessMode
	anyGroup := !r.Has(kubeversion.DataSourceGroupsChecked)
	if old != nil {
		modes = old.AccessModes
		anyGroup = anyGroup || old.DataSource != nil && old.DataSource.APIGroup != nil || old.DataSourceRef != nil && old.DataSourceRef.APIGroup != nil
	}
	var errs Errors
	if len(s.AccessModes) == 0 {
		errs.Required(at.Child("accessModes"), "at least 1 access mode is required")
	}
	errs.Add(AccessModes(s.AccessModes, modes, at.Child("accessModes"), r))
	errs.Add(LabelValues.Selector(s.Selector, at.Child("selector")))
	if q, ok := s.Resources.Requests[corev1.ResourceStorage]; !ok {
		errs.Required(at.Child("resources").Key("storage"), "")
	} else {
		errs.Add(Positive(q, at.Child("resources").Key("storage")))
	}
	if s.StorageClassName != nil {
		errs.Add(SubdomainIfGiven(at.Child("storageClassName"), *s.StorageClassName))
	}
	errs.Add(OneOf(s.VolumeMode, VolumeModes, at.Child("volumeMode")))
	if r.Has(kubeversion.DataSourceKindsOpen) {
		errs.Add(dataSources(s, at, anyGroup))
	} else {
		errs.Add(knownDataSource(s.DataSource, at.Child("dataSource"), r))
	}
	if s.VolumeAttributesClassName != nil {
		errs.Add(SubdomainIfGiven(at.Child("volumeAttributesClassName"), *s.VolumeAttributesClassName))
	}
	return errs.List()
}

func dataSources(s *corev1.PersistentVolumeClaimSpec, at *field.Path, anyGroup bool) field.ErrorList {
	var errs Errors
	d, ref := s.DataSource, s.DataSourceRef
	if d != nil {
		errs.Add(dataSource(d.APIGroup, d.Kind, d.Name, anyGroup, at.Child("dataSource")))
	}
	if ref == nil {
		return errs.List()
	}
	errs.Add(dataSource(ref.APIGroup, ref.Kind, ref.Name, anyGroup, at.Child("dataSourceRef")))
	elsewhere := ref.Namespace != nil && *ref.Namespace != ""
	if elsewhere {
		errs.Add(Faults(at.Child("dataSourceRef", "namespace"), *ref.Namespace, NamespaceName(*ref.Namespace, false)))
	}
	switch {
	case d == nil:
	case elsewhere:
		errs.Invalid(at, at.Child("dataSource"), "may not be specified when dataSourceRef.namespace is specified")
	case !reflect.DeepEqual(d.APIGroup, ref.APIGroup) || d.Kind != ref.Kind || d.Name != ref.Name:
		errs.Invalid(at, at.Child("dataSource"), "must match dataSourceRef")
	}
	return errs.List()
}

// knownDataSource checks the data source of a claim in the releases that only know some kinds (PC-06a).
func knownDataSource(d *corev1.TypedLocalObjectReference, at *field.Path, r *kubeversion.Release) field.ErrorList {
	if d == nil {
		return nil
	}
	if !r.Has(kubeversion.DisabledDataSourcesDropped) && !r.Enabled("VolumeSnapshotDataSource") {
		return field.ErrorList{field.Forbidden(at, "VolumeSnapshotDataSource is disabled by feature-gate")}
	}
	known := []string{"VolumeSnapshot.snapshot.storage.k8s.io"}
	if r.Has(kubeversion.DataSourcesByKind) {
		known = append(known, "PersistentVolumeClaim")
	}
	kind := schema.GroupKind{Kind: d.Kind}
	if d.APIGroup != nil {
		kind.Group = *d.APIGroup
	}
	var errs Errors
	errs.Add(Required(d.Name, at.Child("name")))
	if !slices.Contains(known, kind.String()) {
		errs.Append(field.NotSupported(at, kind.String(), known))
	}
	return errs.List()
}

func dataSource(group *string, kind, name string, anyGroup bool, path *field.Path) field.ErrorList {
	var errs Errors
	errs.Add(Required(name, path.Child("name")))
	errs.Add(Required(kind, path.Child("kind")))
	g := ""
	if group != nil {
		g = *group
	}
	errs.Add(Unless(g != "" || kind == "PersistentVolumeClaim", path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
	if anyGroup {
		return errs.List()
	}
	errs.Add(SubdomainIfGiven(path.Child("apiGroup"), g))
	return errs.List()
}
