package rules

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An Excuse names a rule that some stored objects break, since it is younger than they are. An update
// of such an object need not mend it: what the rule finds is excused if it finds anything in the
// old object. New objects are never excused.
//
// These are the validation options of the server that it computes from the old object, AllowInvalid…
// and others: kubernetes/kubernetes:pkg/api/pod/util.go, pkg/registry/*/*/strategy.go. A rule is
// marked with [Excuse.Of] where it is stated, and that is all: [Kind.ValidateChange] asks the old
// object only if a marked rule finds something.
//
// Rules that look at each value apart excuse those values that the old object had; they are given
// these values, see [OldValues].
type Excuse string

// LabelValues is the rule that selectors ask for values that a label can have.
const LabelValues Excuse = "label values in selectors"

// excusable is what the origin of an error starts with that may be excused. Nothing else uses the
// origin of errors.
const excusable = "excusable: "

// Of marks what the rule found.
func (e Excuse) Of(found field.ErrorList) field.ErrorList {
	for _, err := range found {
		err.Origin = excusable + string(e)
	}
	return found
}

// Inexcusable is what a rule found where the server does not ask the old object.
func Inexcusable(found field.ErrorList) field.ErrorList {
	for _, err := range found {
		err.Origin = ""
	}
	return found
}

// Selector checks a selector, and marks what it has against the values that it asks for.
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

// excused leaves out what is excused by the old object. wrongBefore says what is wrong with that one.
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

// OldValues are the values of a field of the old object, which an update may keep whatever they are.
func OldValues[T, V any](old []T, value func(T) V) []V {
	values := make([]V, len(old))
	for i, o := range old {
		values[i] = value(o)
	}
	return values
}
