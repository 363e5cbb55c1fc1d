package objects

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// claimMetadata checks the metadata that a template has for claims: labels and annotations,
// since nobody would heed the rest:
// kubernetes/kubernetes:pkg/apis/core/validation/validation.go, ValidateTemplateObjectMeta.
func claimMetadata(m *metav1.ObjectMeta, at *field.Path) field.ErrorList {
	errs := validation.ValidateAnnotations(m.Annotations, child(at, "annotations"))
	errs = append(errs, metav1validation.ValidateLabels(m.Labels, child(at, "labels"))...)
	rest := *m
	rest.Annotations, rest.Labels = nil, nil
	v := reflect.ValueOf(rest)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			name := v.Type().Field(i).Name
			errs = append(errs, field.Forbidden(child(at, strings.ToLower(name[:1])+name[1:]), "cannot be set"))
		}
	}
	return errs
}
