package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Faults returns one error about a value for each message.
func Faults[T any](path *field.Path, value T, messages []string) field.ErrorList {
	var errs Errors
	for _, m := range messages {
		errs.Invalid(path, value, m)
	}
	return errs.List()
}

// Given requires a value, and returns an error for each message of check.
func Given(path *field.Path, value string, check func(string) []string) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	return Faults(path, value, check(value))
}

// PathName requires a name that fits a URL.
func PathName(path *field.Path, value string) field.ErrorList {
	return Given(path, value, content.IsPathSegmentName)
}

// SubdomainIfGiven checks an optional name.
func SubdomainIfGiven(path *field.Path, value string) field.ErrorList {
	if value == "" {
		return nil
	}
	return Faults(path, value, DNS1123Subdomain(value))
}

func LabelSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(s, StrictLabelValues, path)
}

// selectorValue matches the path of a value in a label selector. Those of nodes are no label selectors.
var selectorValue = regexp.MustCompile(`([sS]elector|Selectors\[\d+\]|^nodeTopology|matchExpressions)\.matchExpressions\[\d+\]\.values\[\d+\]$`)

// withoutSelectorValues removes the errors about values in label selectors in the releases that do not check these.
func withoutSelectorValues(errs field.ErrorList, r *kubeversion.Release) field.ErrorList {
	if r.Has(kubeversion.SelectorValuesChecked) {
		return errs
	}
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return e.Type == field.ErrorTypeInvalid && selectorValue.MatchString(e.Field)
	})
}

// Repeated returns an error for each item of a list that occurred before.
func Repeated[T comparable](list []T, at *field.Path) field.ErrorList {
	var errs Errors
	for i, item := range list {
		if slices.Contains(list[:i], item) {
			errs.Duplicate(at.Index(i), item)
		}
	}
	return errs.List()
}

// Unless returns an error with the message about a value, unless ok is set.
func Unless[T any](ok bool, path *field.Path, value T, message string) field.ErrorList {
	if ok {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, message)}
}

func LabelValue(value string, path *field.Path) field.ErrorList {
	return Faults(path, value, content.IsLabelValue(value))
}

func Positive(q resource.Quantity, at *field.Path) field.ErrorList {
	return Unless(q.Sign() > 0, at, q.String(), "must be greater than zero")
}

// Ordered sorts errors found by iterating over maps. The server's own order changes from run to run.
func Ordered(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Error(), b.Error()))
	})
	return errs
}

// labelsOf checks the parts between dots, up to the first invalid one.
func labelsOf(text string, check func(string) []string, at *field.Path) field.ErrorList {
	for _, label := range strings.Split(text, ".") {
		if wrong := check(label); len(wrong) > 0 {
			var errs Errors
			for _, m := range wrong {
				errs.Invalid(at, text, fmt.Sprintf("validating label %q: %s", label, m))
			}
			return errs.List()
		}
	}
	return nil
}
