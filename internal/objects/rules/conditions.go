package rules

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Conditions checks the conditions in a status: kubernetes/apimachinery:pkg/apis/meta/v1/validation/validation.go.
func Conditions(r *kubeversion.Release, conditions []metav1.Condition, at *field.Path) field.ErrorList {
	errs := metav1validation.ValidateConditions(conditions, at)
	if len(errs) == 0 || r.Has(kubeversion.ConditionsDeclared) {
		return errs
	}
	var before Errors
	for _, err := range errs {
		switch path := field.NewPath(err.Field); {
		case err.Type == field.ErrorTypeDuplicate:
			before.Duplicate(path.Child("type"), err.BadValue)
		case err.Type == field.ErrorTypeRequired && strings.HasSuffix(err.Field, "].type"):
			before.Add(metav1validation.ValidateLabelName("", path))
		case err.Type == field.ErrorTypeRequired && strings.HasSuffix(err.Field, "].status"):
			before.Append(field.NotSupported(path, metav1.ConditionStatus(""), []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionTrue, metav1.ConditionUnknown}))
		default:
			before.Append(err)
		}
	}
	return before.List()
}
