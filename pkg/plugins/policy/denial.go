package policy

import (
	"encoding/json"
	"fmt"
	"net/http"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// denial returns the answer to a request that a policy denies: 422 although the message says "forbidden", unless the
// validation has a reason (W-288).
func denial(req admission.Request, c choice[*validator], d decision) *metav1.Status {
	text := fmt.Sprintf("ValidatingAdmissionPolicy '%s' denied request: %s", c.hook.name, d.message)
	if c.binding != nil {
		text = fmt.Sprintf("ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", c.hook.name, c.binding.name, d.message)
	}
	status := admission.Forbidden(req, text)
	status.Reason = d.reason
	if status.Reason == "" {
		status.Reason = metav1.StatusReasonInvalid
	}
	status.Code = codeOf(status.Reason)
	status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{Message: text})
	return status
}

func codeOf(r metav1.StatusReason) int32 {
	switch r {
	case metav1.StatusReasonForbidden:
		return http.StatusForbidden
	case metav1.StatusReasonUnauthorized:
		return http.StatusUnauthorized
	case metav1.StatusReasonRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusUnprocessableEntity
}

// A failure describes a failed validation in the audit log.
type failure struct {
	Message           string                                     `json:"message"`
	Policy            string                                     `json:"policy"`
	Binding           string                                     `json:"binding"`
	ExpressionIndex   int                                        `json:"expressionIndex"`
	ValidationActions []admissionregistrationv1.ValidationAction `json:"validationActions"`
}

const failuresKey = "validation.policy.admission.k8s.io/validation_failure"

// failureAnnotation returns the audit annotation for failed validations (W-290).
func failureAnnotation(failures ...failure) trace.Annotation {
	value, err := json.Marshal(failures)
	if err != nil {
		panic(err) // cannot fail: only strings and numbers
	}
	return trace.Annotation{Key: failuresKey, Value: string(value)}
}
