package rules

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An Excuse names a rule that some stored objects break, because they are older than the rule. An update of such an
// object need not fix it: the errors of the rule are excused if the rule finds any in the old object. New objects are
// never excused.
//
// These are the validation options that the server computes from the old object, AllowInvalid… and others:
// kubernetes/kubernetes:pkg/api/pod/util.go, pkg/registry/*/*/strategy.go. A rule is marked with [Excuse.Of] where it
// is implemented, and that is all: [Kind.ValidateChange] checks the old object only if a marked rule finds something.
//
// Rules that check each value separately excuse the values of the old object. They are passed these values, see
// [OldValues].
type Excuse string

// LabelValues is the rule that the values in selectors must be valid label values.
const LabelValues Excuse = "label values in selectors"

// excusable begins the origin of an error that may be excused. The origin of errors has no other use.
const excusable = "excusable: "

// Of marks the errors of the rule.
func (e Excuse) Of(found field.ErrorList) field.ErrorList {
	for _, err := range found {
		err.Origin = excusable + string(e)
	}
	return found
}

// Inexcusable removes the mark where the server does not check the old object.
func Inexcusable(found field.ErrorList) field.ErrorList {
	for _, err := range found {
		err.Origin = ""
	}
	return found
}

// Selector checks a selector, and marks the errors about its values.
func (e Excuse) Selector(s *metav1.LabelSelector, at *field.Path) field.ErrorList {
	errs := LabelSelector(s, at)
	if len(errs) == 0 {
		return nil
	}
	others := map[string]bool{}
	for _, err := range metav1validation.ValidateLabelSelector(s, TolerantOfLabelValues, at) {
		others[err.Error()] = true
	}
	for _, err := range errs {
		if !others[err.Error()] {
			e.Of(field.ErrorList{err})
		}
	}
	return errs
}

// excused removes the errors that the old object excuses. wrongBefore returns the errors of the old object.
func excused(errs field.ErrorList, wrongBefore func() field.ErrorList) field.ErrorList {
	isExcusable := func(err *field.Error) bool {
		return len(err.Origin) > len(excusable) && err.Origin[:len(excusable)] == excusable
	}
	var excuses map[string]bool
	var kept field.ErrorList
	for _, err := range errs {
		if isExcusable(err) {
			if excuses == nil {
				excuses = map[string]bool{}
				for _, before := range wrongBefore() {
					excuses[before.Origin] = true
				}
			}
			if excuses[err.Origin] {
				continue
			}
		}
		kept = append(kept, err)
	}
	return kept
}

// OldValues returns the values of a field of the old object, which an update may always keep.
func OldValues[T, V any](old []T, value func(T) V) []V {
	values := make([]V, len(old))
	for i, o := range old {
		values[i] = value(o)
	}
	return values
}
