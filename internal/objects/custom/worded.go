// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go

package custom

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// inRelease turns the errors of 1.36 about a custom resource into those of the release:
// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go. Before 1.36, numbers were not checked against
// their format.
func (v *customVersion) inRelease(errs field.ErrorList) field.ErrorList {
	r := v.release
	if r.Has(kubeversion.NumberFormatsChecked) {
		return rules.Ordered(errs)
	}
	var converted rules.Errors
	for _, err := range errs {
		if rules.IsNumberFormatError(err) {
			continue
		}
		e := *err
		if e.Type == field.ErrorTypeTooLong && !r.Has(kubeversion.LengthsInBytes) {
			e.Detail = rules.Longest.ReplaceAllString(e.Detail, "may not be longer than $1")
		}
		converted.Append(&e)
	}
	return rules.Ordered(converted.List())
}

// formerErrors returns the errors of releases before [kubeversion.CustomErrorsTyped] (ER-08b).
func (v *customVersion) formerErrors(u *unstructured.Unstructured) field.ErrorList {
	wrong := v.schema.Validate(u.Object).Errors
	if !v.release.Has(kubeversion.CustomErrorsByField) {
		return inOneError(u, wrong)
	}
	var errs field.ErrorList
	for _, err := range wrong {
		errs = append(errs, formerError(err))
	}
	return rules.Ordered(errs)
}

func formerError(err error) *field.Error {
	var path *field.Path
	e, ok := err.(*openapierrors.Validation)
	if !ok {
		return field.Invalid(path, "", err.Error())
	}
	if e.Name != "" && e.Name != "." {
		path = path.Child(strings.TrimPrefix(e.Name, "."))
	}
	switch e.Code() {
	case openapierrors.RequiredFailCode:
		return field.Required(path, "")
	case openapierrors.EnumFailCode:
		return field.NotSupported(path, e.Value, allowed(e.Values))
	case openapierrors.TooFewPropertiesCode, openapierrors.TooManyPropertiesCode:
		return field.Invalid(path, e.Valid, e.Error()) // the limit, not the number
	}
	if e.Value == nil {
		e.Value = ""
	}
	return field.Invalid(path, e.Value, e.Error())
}

// allowed returns the values of an enum as they are in errors.
func allowed(values []any) []string {
	var texts []string
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			j, _ := json.Marshal(v) // it was decoded from JSON
			text = string(j)
		}
		texts = append(texts, text)
	}
	return texts
}

// inOneError returns the error of releases up to 1.15, which quote the whole object and list all that is wrong (ER-08). The
// server checks the properties of an object in no particular order, and so lists the errors about them.
func inOneError(u *unstructured.Unstructured, wrong []error) field.ErrorList {
	if len(wrong) == 0 {
		return nil
	}
	text := "validation failure list:"
	for _, err := range wrong {
		text += "\n" + err.Error()
	}
	return field.ErrorList{field.Invalid(field.NewPath(""), u.Object, text)}
}
