// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go

package custom

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

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

// inOneError checks an object against the schema as releases up to 1.15 do, which quote the whole object and list all that
// is wrong (ER-08). The server lists it in no particular order.
func (v *customVersion) inOneError(u *unstructured.Unstructured) field.ErrorList {
	if v.schema == nil {
		return nil
	}
	var wrong []string
	for _, err := range v.schema.Validate(u.Object).Errors {
		if !rules.IsNumberFormatText(err.Error()) {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return field.ErrorList{field.Invalid(field.NewPath(""), u.Object, "validation failure list:\n"+strings.Join(wrong, "\n"))}
}
