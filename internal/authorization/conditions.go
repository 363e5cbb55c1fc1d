package authorization

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"

	"github.com/admsim/admsim/pkg/trace"
)

// A condition has to hold for a question before a webhook is asked.
type condition struct {
	expression string
	matcher    authorizationcel.CELMatcher
}

func newCondition(expression string, compiler authorizationcel.Compiler) (condition, error) {
	compiled, err := compiler.CompileCELExpression(&authorizationcel.SubjectAccessReviewMatchCondition{Expression: expression})
	return condition{expression, authorizationcel.CELMatcher{
		CompilationResults: []authorizationcel.CompilationResult{compiled},
		UsesFieldSelector:  compiled.UsesFieldSelector,
		UsesLabelSelector:  compiled.UsesLabelSelector,
	}}, err
}

// applies reports whether all match conditions of the webhook hold (AU-62). If one is false, the webhook does not
// apply, even if others cannot be evaluated: kubernetes/apiserver:pkg/authorization/cel/matcher.go.
func (w webhookClient) applies(ctx context.Context, review *authorizationv1.SubjectAccessReview) (bool, error) {
	skipped := trace.Hook{Configuration: WebhookConfiguration, Name: w.name}
	var errs []error
	for i, c := range w.conditions {
		holds, err := c.matcher.Eval(ctx, review)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !holds:
			skipped.Outcome, skipped.Because = trace.Skipped, fmt.Sprintf("matchConditions[%d] is false: %s", i, c.expression)
			w.Notes.add(skipped)
			return false, nil
		}
	}
	err := utilerrors.NewAggregate(errs)
	if err != nil {
		skipped.Outcome, skipped.Because = w.failed(), err.Error()
		w.Notes.add(skipped)
	}
	return err == nil, err
}
