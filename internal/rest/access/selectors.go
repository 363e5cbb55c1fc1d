package access

import (
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	apiselection "k8s.io/apimachinery/pkg/selection"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// evaluationError returns the evaluation error in the status of an access review: what the authorizer could not find
// out, and which selectors it ignored, since they are invalid or from a later release:
// kubernetes/kubernetes:pkg/registry/authorization/util/helpers.go.
func evaluationError(err error, r *authorizationv1.ResourceAttributes, release *kubeversion.Release) string {
	var texts []string
	if err != nil {
		texts = append(texts, err.Error())
	}
	if r == nil || !release.Has(kubeversion.AuthorizerSelectors) {
		return strings.Join(texts, "; ")
	}
	if s := r.FieldSelector; s != nil {
		_, err := fields.ParseSelector(s.RawSelector)
		texts = append(texts, partlyIgnored("fieldSelector", err, s.Requirements, isFieldRequirement)...)
	}
	if s := r.LabelSelector; s != nil {
		_, err := labels.Parse(s.RawSelector)
		texts = append(texts, partlyIgnored("labelSelector", err, s.Requirements, isLabelRequirement)...)
	}
	return strings.Join(texts, "; ")
}

// partlyIgnored describes what was ignored of a selector: all of it if its text is invalid, else its invalid
// requirements.
func partlyIgnored[T any](name string, broken error, requirements []T, isOne func(T) bool) []string {
	good := 0
	for _, r := range requirements {
		if isOne(r) {
			good++
		}
	}
	switch {
	case broken == nil && good == len(requirements):
		return nil
	case good > 0:
		return []string{"spec.resourceAttributes." + name + " partially ignored due to parse error"}
	}
	return []string{"spec.resourceAttributes." + name + " ignored due to parse error"}
}

// selectedFields returns the requirements of a field selector that authorizers use.
func selectedFields(s *authorizationv1.FieldSelectorAttributes) fields.Requirements {
	if s == nil {
		return nil
	}
	if s.RawSelector != "" {
		selector, err := fields.ParseSelector(s.RawSelector)
		if err != nil {
			return nil
		}
		return selector.Requirements()
	}
	var found fields.Requirements
	for _, r := range s.Requirements {
		if !isFieldRequirement(r) {
			continue
		}
		operator := apiselection.Equals
		if r.Operator == metav1.FieldSelectorOpNotIn {
			operator = apiselection.NotEquals
		}
		found = append(found, fields.Requirement{Operator: operator, Field: r.Key, Value: r.Values[0]})
	}
	return found
}

// selectedLabels does the same for a label selector.
func selectedLabels(s *authorizationv1.LabelSelectorAttributes) labels.Requirements {
	if s == nil {
		return nil
	}
	if s.RawSelector != "" {
		return parsedLabels(s.RawSelector)
	}
	var found labels.Requirements
	for _, r := range s.Requirements {
		selector, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{r}})
		if err != nil {
			continue
		}
		one, _ := selector.Requirements()
		found = append(found, one...)
	}
	return found
}

// parsedLabels returns the requirements of a label selector in text form, or none if it is invalid.
func parsedLabels(text string) labels.Requirements {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil
	}
	found, _ := selector.Requirements()
	return found
}

// isFieldRequirement reports whether the authorizer supports a requirement.
func isFieldRequirement(r metav1.FieldSelectorRequirement) bool {
	return len(r.Values) == 1 && (r.Operator == metav1.FieldSelectorOpIn || r.Operator == metav1.FieldSelectorOpNotIn)
}

func isLabelRequirement(r metav1.LabelSelectorRequirement) bool {
	_, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{r}})
	return err == nil
}
