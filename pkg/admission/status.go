package admission

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Forbidden returns the usual denial of a built-in plugin: 403, with the name of the object (ER-01).
func Forbidden(r Request, text string) *metav1.Status {
	return StatusOf(apierrors.NewForbidden(r.Resource.GroupResource(), r.ErrorName(), errors.New(text)))
}

// StatusOf returns the status that the server sends for err: the status that err is or wraps. An error without a status
// becomes a plain 500 without a reason (ER-04).
func StatusOf(err error) *metav1.Status {
	var s apierrors.APIStatus
	if errors.As(err, &s) {
		status := s.Status()
		return &status
	}
	return &metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    500,
		Message: err.Error(),
	}
}

// ErrPanicked is the error of a server that panicked while it handled the request:
// kubernetes/apiserver:pkg/server/filters/wrap.go.
var ErrPanicked error = &apierrors.StatusError{ErrStatus: metav1.Status{
	Status:  metav1.StatusFailure,
	Code:    500,
	Message: "This request caused apiserver to panic. Look in the logs for details.",
}}
