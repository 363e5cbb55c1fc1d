// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go

package customschema

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// inRelease turns the errors of 1.36 about a custom resource into those of the release:
// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go. Before 1.36, numbers were not checked against
// their format.
func (s *Schema) inRelease(errs field.ErrorList) field.ErrorList {
	r := s.release
	if r.Has(kubeversion.NumberFormatsChecked) {
		return errs
	}
	var converted field.ErrorList
	for _, err := range errs {
		if isNumberFormatError(err) {
			continue
		}
		e := *err
		if e.Type == field.ErrorTypeTooLong && !r.Has(kubeversion.LengthsInBytes) {
			if limit, ok := strings.CutPrefix(e.Detail, "may not be more than "); ok {
				number, _, _ := strings.Cut(limit, " ")
				e.Detail = "may not be longer than " + number
			}
		}
		converted = append(converted, &e)
	}
	return converted
}

// isNumberFormatError reports whether an error is about a number that its type or format cannot hold, and not about a limit
// in the schema. Such errors came with [kubeversion.NumberFormatsChecked].
func isNumberFormatError(err *field.Error) bool {
	return err.BadValue == any("") && isNumberFormatText(err.Detail)
}

// isNumberFormatText is isNumberFormatError for the text of an error.
func isNumberFormatText(text string) bool { return strings.Contains(text, " value must be of type ") }

// formerErrors returns the errors of releases before [kubeversion.CustomErrorsTyped] (ER-08b).
func (s *Schema) formerErrors(path *field.Path, value any) field.ErrorList {
	wrong := s.validator.Validate(value).Errors
	if slices.Contains(wrong, admission.ErrPanicked) {
		return field.ErrorList{field.InternalError(path, admission.ErrPanicked)}
	}
	if len(wrong) > 0 && !s.release.Has(kubeversion.CustomErrorsByField) {
		return field.ErrorList{field.Invalid(field.NewPath(""), value, inOneText(wrong))}
	}
	var errs field.ErrorList
	for _, err := range wrong {
		errs = append(errs, formerError(path, err))
	}
	return errs
}

func formerError(path *field.Path, err error) *field.Error {
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

// inOneText lists all that is wrong with a value, as releases up to 1.15 do (ER-08). The server checks the properties of an
// object in no particular order, and so lists the errors about them.
func inOneText(wrong []error) string {
	text := "validation failure list:"
	for _, err := range wrong {
		text += "\n" + err.Error()
	}
	return text
}
