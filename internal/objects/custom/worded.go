// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go
// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go

package custom

import (
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// inRelease turns the errors of 1.36 about a custom resource into those of the release:
// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go and pkg/apiserver/schema/cel/validation.go.
// Before 1.36, numbers were not checked against their format; before 1.35, a rule showed the type of the refused value
// instead of the value.
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

// typesForValues replaces the values in errors of rules by their types, as releases before 1.35 do.
func (v *customVersion) typesForValues(errs field.ErrorList) field.ErrorList {
	for _, err := range errs {
		s := schemaAt(v.structural, err.Field)
		switch {
		case err.BadValue != any(field.OmitValueType{}):
			if s != nil {
				err.BadValue = s.Type
			}
		case s != nil && s.Type == "array" && hasRules(s):
			err.BadValue = s.Type
		default: // a rule of an object may name one of its fields as the wrong one
			err.BadValue = "object"
		}
	}
	return errs
}

func hasRules(s *structuralschema.Structural) bool {
	if len(s.XValidations) > 0 {
		return true
	}
	if s.ValueValidation == nil {
		return false
	}
	for _, nested := range s.ValueValidation.AllOf {
		if len(nested.XValidations) > 0 {
			return true
		}
	}
	return false
}

// schemaAt returns the schema of a field by its path in an error, or nil if there is none.
func schemaAt(s *structuralschema.Structural, path string) *structuralschema.Structural {
	at, ok := schemaIn{schema: s}, s != nil
	for path != "" && path != "<nil>" && ok {
		var name string
		inside := path[0] == '['
		if inside {
			name, path, _ = strings.Cut(path[1:], "]")
		} else if end := strings.IndexAny(path, ".["); end >= 0 {
			name, path = path[:end], path[end:]
		} else {
			name, path = path, ""
		}
		path = strings.TrimPrefix(path, ".")
		items, isList := at.items()
		if inside && isList {
			at = items
			continue
		}
		at, ok = at.member(name)
	}
	if !ok {
		return nil
	}
	return at.schema
}
