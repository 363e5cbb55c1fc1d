package rules

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// StrictLabelValues and TolerantOfLabelValues are the two ways to check the values in label selectors.
var StrictLabelValues = metav1validation.LabelSelectorValidationOptions{}

var TolerantOfLabelValues = metav1validation.LabelSelectorValidationOptions{AllowInvalidLabelValueInSelector: true}

// OneOf checks an optional field that has a fixed set of values.
func OneOf[T ~string](value *T, values []string, path *field.Path) field.ErrorList {
	if value == nil || slices.Contains(values, string(*value)) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, *value, values)}
}

func QualifiedName(name string, path *field.Path) field.ErrorList {
	var errs Errors
	for _, wrong := range utilvalidation.IsQualifiedName(name) {
		errs.Invalid(path, name, wrong)
	}
	return errs.List()
}

func Required(value string, at *field.Path) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return nil
}

func NotNegative[N int32 | int64](n N, at *field.Path) field.ErrorList {
	return validation.ValidateNonnegativeField(int64(n), at)
}

func NotNegativePointer[N int32 | int64](n *N, at *field.Path) field.ErrorList {
	if n == nil {
		return nil
	}
	return NotNegative(*n, at)
}

// Choice requires one of some values. If the first one is empty, a missing value is a separate error.
func Choice[T ~string](value T, at *field.Path, values ...T) field.ErrorList {
	if values[0] == "" {
		values = values[1:]
		if value == "" {
			return field.ErrorList{field.Required(at, "")}
		}
	}
	if slices.Contains(values, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(at, value, values)}
}

func Has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// EachOf checks each item of a list, unless there are too many.
func EachOf[T any](list []T, most int, at *field.Path, check func(T, *field.Path) field.ErrorList) field.ErrorList {
	if most >= 0 && len(list) > most {
		return field.ErrorList{field.TooMany(at, len(list), most)}
	}
	var errs Errors
	for i, item := range list {
		errs.Add(check(item, at.Index(i)))
	}
	return errs.List()
}

// ImmutableInternal is ValidateImmutableField for a part that is shown in its internal form.
func ImmutableInternal[T any](after, before T, at *field.Path) field.ErrorList {
	if len(validation.ValidateImmutableField(after, before, at)) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, AsInternal(after), validation.FieldImmutableErrorMsg)}
}
