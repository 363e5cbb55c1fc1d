// kubernetes/kubernetes:pkg/apis/policy/v1beta1/conversion.go
// kubernetes/kubernetes@v1.36.0:pkg/apis/policy/v1/conversion.go

package policy

import (
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// emptySelector distinguishes v1's empty selector of a budget, which selects every pod, from v1beta1's, which selects
// none (CV-06).
const emptySelector = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"

func selectsBy(s *metav1.LabelSelector, operator metav1.LabelSelectorOperator) bool {
	return s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 1 &&
		s.MatchExpressions[0].Key == emptySelector && s.MatchExpressions[0].Operator == operator && len(s.MatchExpressions[0].Values) == 0
}

func isEmpty(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

func selectorBy(operator metav1.LabelSelectorOperator) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: emptySelector, Operator: operator}}}
}

// stripEmptySelector removes the label from a selector that has others as well.
func stripEmptySelector(s *metav1.LabelSelector) {
	if s == nil || isEmpty(s) || selectsBy(s, metav1.LabelSelectorOpExists) {
		return
	}
	s.MatchExpressions = slices.DeleteFunc(s.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool { return r.Key == emptySelector })
}

func budgetToHub(in *policyv1beta1.PodDisruptionBudget, out *policyv1.PodDisruptionBudget) {
	switch {
	case isEmpty(in.Spec.Selector):
		out.Spec.Selector = selectorBy(metav1.LabelSelectorOpExists)
	case selectsBy(in.Spec.Selector, metav1.LabelSelectorOpDoesNotExist):
		out.Spec.Selector = &metav1.LabelSelector{}
	}
}

func budgetFromHub(in *policyv1.PodDisruptionBudget, out *policyv1beta1.PodDisruptionBudget) {
	switch {
	case isEmpty(in.Spec.Selector):
		out.Spec.Selector = selectorBy(metav1.LabelSelectorOpDoesNotExist)
	case selectsBy(in.Spec.Selector, metav1.LabelSelectorOpExists):
		out.Spec.Selector = &metav1.LabelSelector{}
	}
}
