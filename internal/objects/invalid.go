package objects

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// NewInvalid is like apierrors.NewInvalid, but its time grows with the number of errors, not with its square: an object
// of one megabyte can have 100,000 errors.
func NewInvalid(kind schema.GroupKind, name string, errs field.ErrorList) *apierrors.StatusError {
	status := apierrors.NewInvalid(kind, name, nil)
	if len(errs) == 0 {
		return status
	}
	for _, err := range errs {
		status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseType(err.Type), Message: err.ErrorBody(), Field: err.Field,
		})
	}
	status.ErrStatus.Message += ": " + Joined(errs)
	return status
}

// Joined returns the message of ErrorList.ToAggregate: kubernetes/apimachinery:pkg/util/errors/errors.go.
func Joined(errs field.ErrorList) string {
	seen, texts := map[string]bool{}, make([]string, 0, len(errs))
	for _, err := range errs {
		if text := err.Error(); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
