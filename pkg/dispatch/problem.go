package dispatch

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// A problem is why a webhook does not simply allow the request (W-186). If status is set, the request ends with it,
// whatever the failure policy says. Otherwise failure is set, and the policy decides.
type problem struct {
	because string
	hint    string
	status  *metav1.Status
	denied  bool // the webhook denied it; nothing went wrong
	failure error
}

// rejection returns the problem of an explicit denial. Its status is that of the webhook, corrected if it could not be
// sent as an error (W-179..W-184: kubernetes/apiserver:pkg/admission/plugin/webhook/errors/statuserror.go).
func (c *call) rejection(sent *metav1.Status) *problem {
	status := metav1.Status{}
	if sent != nil {
		status = *sent
	}
	status.TypeMeta = metav1.TypeMeta{} // the sender sets it
	if c.review.has(kubeversion.RefusalsMended) {
		mend(&status)
	} else {
		complete(&status)
	}
	denied := fmt.Sprintf("admission webhook %q denied the request", c.hook.Name)
	switch {
	case status.Message != "":
		status.Message = denied + ": " + status.Message
	case status.Reason != "":
		status.Message = denied + ": " + string(status.Reason)
	default:
		status.Message = denied + " without explanation"
	}
	return &problem{because: "answered allowed: false", status: &status, denied: true}
}

// mend turns a status that is not an error into a refusal.
func mend(status *metav1.Status) {
	if status.Code < http.StatusBadRequest {
		status.Code = http.StatusBadRequest
	}
	if status.Status == "" || status.Status == metav1.StatusSuccess {
		status.Status = metav1.StatusFailure
	}
}

// complete fills in missing fields of a status, as the server does with every error. A status without a code is a
// failure of the server itself, and one that claims success is sent as a success (W-336:
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/status.go).
func complete(status *metav1.Status) {
	if status.Status == "" {
		status.Status = metav1.StatusFailure
	}
	switch {
	case status.Code != 0:
	case status.Status == metav1.StatusSuccess:
		status.Code = http.StatusOK
	default:
		status.Code = http.StatusInternalServerError
	}
}

// dryRunUnsupported ends a dry run that would have had side effects (W-192).
func dryRunUnsupported(hook string, effects admissionregistrationv1.SideEffectClass) *problem {
	return &problem{
		because: fmt.Sprintf("not called: the request is a dry run and sideEffects is %s", effects),
		status:  admission.StatusOf(apierrors.NewBadRequest(fmt.Sprintf("admission webhook %q does not support dry run", hook))),
	}
}

// nothingToChange returns the problem of a patch without an object to apply it to (W-206).
func nothingToChange(hook string) *problem {
	err := fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", hook)
	return &problem{because: "answered with a patch, and the request has no object", status: admission.StatusOf(apierrors.NewInternalError(err))}
}

// panicked returns the problem of a panic of the API server during the call. Since 1.25 the server recovers from panics
// in calls of validating webhooks (W-240). Any other panic ends the request (W-190). If it is not recovered, it also
// ends the server itself, which is not simulated.
func (c *call) panicked(value any) *problem {
	because := fmt.Sprintf("the API server panicked: %v", value)
	if c.hook.Phase == trace.Validating && c.review.has(kubeversion.RecoversPanics) {
		return &problem{
			because: because,
			failure: fmt.Errorf("ValidatingAdmissionWebhook/%s has panicked: %v", c.hook.Name, value),
		}
	}
	return &problem{because: because, status: admission.StatusOf(admission.ErrPanicked)}
}

// settle records what becomes of the request. position is the number of the hook in the key of its annotation.
func (p *problem) settle(record *trace.Hook, h Hook, r *Review, position int) {
	record.Because, record.Hint = p.because, p.hint
	switch {
	case p.denied:
		record.Outcome, record.Denial = trace.Denied, r.Refusal(h.Phase, p.status)
	case p.status != nil:
		record.Outcome, record.Denial = trace.Failed, r.Refusal(h.Phase, p.status)
	case h.ignoresFailures():
		failOpen(record, h, r, position)
	default:
		record.Outcome = trace.Failed
		record.Because += "; " + policyText(h)
		record.Denial = admission.StatusOf(apierrors.NewInternalError(p.failure)) // W-169
	}
}

// Refusal returns the status with which the request ends because a webhook refused it, or because its patch is wrong.
// For mutating webhooks of earlier releases this was always an internal error (W-335). A panic is never converted.
func (r *Review) Refusal(phase trace.Phase, status *metav1.Status) *metav1.Status {
	if phase != trace.Mutating || r.has(kubeversion.DenialsOfMutators) || status.Message == admission.ErrPanicked.Error() {
		return status
	}
	return admission.StatusOf(apierrors.NewInternalError(errors.New(status.Message)))
}

func policyText(h Hook) string {
	if h.FailurePolicy == nil {
		return "failurePolicy is not set, which is Fail" // W-187
	}
	return "failurePolicy is " + string(*h.FailurePolicy)
}

// failOpen lets the request pass although the call failed (W-188), unless the time of the request is over as well: in
// the mutating phase this ends it at once (W-160), in the validating phase later, after all webhooks have answered.
func failOpen(record *trace.Hook, h Hook, r *Review, position int) {
	record.Outcome = trace.FailedOpen
	record.Because += "; " + policyText(h)
	if r.has(kubeversion.FailOpenAnnotations) {
		record.Annotations = append(record.Annotations, failedOpen(h, position))
	}

	request := r.Request
	request.Elapsed += record.Duration
	if left, limited := request.Remaining(); limited && left == 0 && h.Phase == trace.Mutating {
		record.Outcome = trace.Failed
		record.Because += ", but the request's time is over"
		record.Denial = admission.StatusOf(apierrors.NewTimeoutError("request did not complete within requested timeout", 0))
	}
}

// failedOpen returns the annotation for a failure that was ignored (W-246, W-247).
func failedOpen(h Hook, position int) trace.Annotation {
	prefix := "failed-open.mutation.webhook.admission.k8s.io/"
	if h.Phase == trace.Validating {
		prefix = "failed-open.validating.webhook.admission.k8s.io/"
	}
	return trace.Annotation{Key: fmt.Sprintf("%sround_%d_index_%d", prefix, h.Round, position), Value: h.Name}
}

// ByCompletion returns outcomes in the order of their completion, which is the order of their warnings (W-256). If they
// have that order already, it returns the same slice.
func ByCompletion(outcomes []Outcome) []Outcome {
	order := func(a, b Outcome) int {
		return cmp.Compare(a.Hook.Start+a.Hook.Duration, b.Hook.Start+b.Hook.Duration)
	}
	if slices.IsSortedFunc(outcomes, order) {
		return outcomes
	}
	outcomes = slices.Clone(outcomes)
	slices.SortStableFunc(outcomes, order)
	return outcomes
}
