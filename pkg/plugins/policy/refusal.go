package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// A refusal is an error that ends the request if the failurePolicy is Fail, but only after all policies were evaluated
// (W-310).
type refusal struct {
	choice choice[*mutator]
	text   string
	reason metav1.StatusReason
}

// misconfigured records a policy or binding that cannot be invoked (W-304).
func (r *round) misconfigured(c choice[*mutator], err error) {
	r.unknown = cmp.Or(r.unknown, unknown(err))
	record := r.record(c, nil)
	record.Hint = hintOf(err)
	r.refuse(c, &record, c.misconfigured(err), metav1.StatusReasonForbidden)
	r.step.Hooks = append(r.step.Hooks, record)
}

// unknown returns err if it says nothing about what the server would do, regardless of the failurePolicy.
func unknown(err error) error {
	if errors.Is(err, objects.ErrNoConverter) {
		return err
	}
	return nil
}

// refuse records an error of c; its failurePolicy decides about it.
func (r *round) refuse(c choice[*mutator], record *trace.Hook, text string, reason metav1.StatusReason) {
	if c.hook.ignores {
		record.Outcome, record.Because = trace.FailedOpen, text+" (failurePolicy Ignore)"
		return
	}
	refused := refusal{c, text, reason}
	r.refusals = append(r.refusals, refused)
	if record.Denial == nil {
		record.Outcome, record.Because, record.Denial = trace.Denied, text, r.denial(refused)
		record.Hint = cmp.Or(record.Hint, c.hook.placeOf(text, record.Expressions))
	}
}

// hintOf returns the hint of one of our errors.
func hintOf(err error) string {
	var with interface{ Hint() string }
	if errors.As(err, &with) {
		return with.Hint()
	}
	return ""
}

// placeOf returns a hint about the expression whose error is part of a message: where it is, and how to avoid it.
func (p *policy) placeOf(message string, all []trace.Expression) string {
	i := slices.IndexFunc(all, func(e trace.Expression) bool { return e.Error != "" && strings.Contains(message, e.Error) })
	if i < 0 {
		return ""
	}
	field := "spec." + strings.TrimPrefix(all[i].Field, "spec.")
	text := "the error is in " + field
	if at := p.object.PlaceOf(field); at != "" {
		text += ", " + at
	}
	if strings.Contains(message, "no such key") {
		text += ": check has(...) first for fields that an object may lack"
	}
	return text
}

// denial returns the answer to a request that policies refuse: the message is that of the first, and all are causes
// (W-311).
func (r *round) denial(refusals ...refusal) *metav1.Status {
	status := admission.Forbidden(r.req, "")
	status.Message, status.Reason = refusals[0].message(), refusals[0].reason
	for _, refused := range refusals {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{Message: refused.message()})
	}
	return status
}

func (r refusal) message() string {
	if r.choice.binding == nil {
		return fmt.Sprintf("policy %q denied request: %s", r.choice.hook.name, r.text)
	}
	return fmt.Sprintf("policy '%s' with binding '%s' denied request: %s", r.choice.hook.name, r.choice.binding.name, r.text)
}
