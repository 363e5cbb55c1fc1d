// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// ClaimMetadata checks the metadata of a template for claims. It may only have labels and annotations, since the rest
// would have no effect: kubernetes/kubernetes:pkg/apis/core/validation/validation.go, ValidateTemplateObjectMeta.
func ClaimMetadata(m *metav1.ObjectMeta, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(validation.ValidateAnnotations(m.Annotations, rules.Child(at, "annotations")))
	errs.Add(metav1validation.ValidateLabels(m.Labels, rules.Child(at, "labels")))
	rest := *m
	rest.Annotations, rest.Labels = nil, nil
	v := reflect.ValueOf(rest)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			name := v.Type().Field(i).Name
			errs.Forbidden(rules.Child(at, strings.ToLower(name[:1])+name[1:]), "cannot be set")
		}
	}
	return errs.List()
}

func DefaultClaim(c *corev1.PersistentVolumeClaim) {
	rules.SetZero(&c.Status.Phase, corev1.ClaimPending)
	rules.RoundUp(c.Status.Capacity, c.Status.AllocatedResources)
	defaultClaimSpec(&c.Spec)
}

func defaultClaimSpec(s *corev1.PersistentVolumeClaimSpec) {
	rules.SetDefault(&s.VolumeMode, corev1.PersistentVolumeFilesystem)
	rules.RoundUp(s.Resources.Limits, s.Resources.Requests)
}

var VolumeModes = []string{"Block", "Filesystem"}

// ClaimTemplate checks the template of a claim that is created for a pod.
func ClaimTemplate(s *corev1.PersistentVolumeClaimSpec, at *field.Path) field.ErrorList {
	return rules.Inexcusable(ClaimSpec(s, at, false))
}

// ClaimSpec checks a claim. If the old claim named a group, the new one may name any group.
func ClaimSpec(s *corev1.PersistentVolumeClaimSpec, at *field.Path, anyGroup bool) field.ErrorList {
	var errs rules.Errors
	if len(s.AccessModes) == 0 {
		errs.Required(at.Child("accessModes"), "at least 1 access mode is required")
	}
	errs.Add(VolumeAccess(s.AccessModes, at.Child("accessModes")))
	errs.Add(rules.LabelValues.Selector(s.Selector, at.Child("selector")))
	if q, ok := s.Resources.Requests[corev1.ResourceStorage]; !ok {
		errs.Required(at.Child("resources").Key("storage"), "")
	} else {
		errs.Add(rules.Positive(q, at.Child("resources").Key("storage")))
	}
	if s.StorageClassName != nil {
		errs.Add(rules.SubdomainIfGiven(at.Child("storageClassName"), *s.StorageClassName))
	}
	errs.Add(rules.OneOf(s.VolumeMode, VolumeModes, at.Child("volumeMode")))
	errs.Add(dataSources(s, at, anyGroup))
	if s.VolumeAttributesClassName != nil {
		errs.Add(rules.SubdomainIfGiven(at.Child("volumeAttributesClassName"), *s.VolumeAttributesClassName))
	}
	return errs.List()
}

func dataSources(s *corev1.PersistentVolumeClaimSpec, at *field.Path, anyGroup bool) field.ErrorList {
	var errs rules.Errors
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
		errs.Add(rules.Faults(at.Child("dataSourceRef", "namespace"), *ref.Namespace, rules.NamespaceName(*ref.Namespace, false)))
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

func dataSource(group *string, kind, name string, anyGroup bool, path *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Required(name, path.Child("name")))
	errs.Add(rules.Required(kind, path.Child("kind")))
	g := ""
	if group != nil {
		g = *group
	}
	errs.Add(rules.Unless(g != "" || kind == "PersistentVolumeClaim", path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
	if anyGroup {
		return errs.List()
	}
	errs.Add(rules.SubdomainIfGiven(path.Child("apiGroup"), g))
	return errs.List()
}
