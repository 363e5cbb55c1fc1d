package rest

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// reviewOwnRules lists what the user of the request may do in a namespace, as far as the authorizer can tell:
// kubernetes/kubernetes:pkg/registry/authorization/selfsubjectrulesreview/rest.go.
func reviewOwnRules(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.SelfSubjectRulesReview](x, a)
	if err != nil {
		return nil, err
	}
	namespace := review.Spec.Namespace
	if namespace == "" {
		return nil, badRequest("no namespace on request")
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	return &authorizationv1.SelfSubjectRulesReview{TypeMeta: review.TypeMeta, Status: x.access().Rules(ctx, namespace)}, nil
}
