package matcher

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// HasConditions reports whether there are match conditions. Only then is it necessary to convert the objects to the
// kind of the result to know whether the hook applies (W-112).
func (m *Matcher) HasConditions() bool { return m.conditions != nil && m.conditions.Len() > 0 }

// Conditions evaluates the match conditions, step 7 of W-127. r is the result of Match, and the objects of in are
// converted to r.Kind. A result that does not apply is returned unchanged.
func (m *Matcher) Conditions(ctx context.Context, in expression.Input, r Result) Result {
	if !r.Applies || !m.HasConditions() {
		return r
	}
	r.Evaluation = m.conditions.Evaluate(ctx, in)
	holds, err := decide(r.Evaluation)
	if holds {
		return r
	}
	r.Applies, r.Decided = false, trace.MatchConditions
	if err != nil && m.failurePolicy != admissionregistrationv1.Ignore {
		r.Cause = err
		r.Denial = admission.StatusOf(apierrors.NewForbidden(in.Request.Resource.GroupResource(), in.Request.Name, err))
	}
	return r
}

// decide implements the table of W-121, without the failure policy. One condition that is false outweighs any number of
// errors, but not an evaluation that was aborted.
func decide(e expression.Evaluation) (holds bool, err error) {
	if e.Err == nil {
		if _, ok := e.False(); ok {
			return false, nil
		}
	}
	err = e.Failure()
	return err == nil, err
}
