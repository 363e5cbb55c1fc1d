package rest

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
)

// reviewOwnRules lists what the asker may do in a namespace, as far as the authorizer can
// tell: kubernetes/kubernetes:pkg/registry/authorization/selfsubjectrulesreview/rest.go.
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
	answer := &authorizationv1.SelfSubjectRulesReview{
		TypeMeta: review.TypeMeta,
		Status: authorizationv1.SubjectRulesReviewStatus{
			ResourceRules:    []authorizationv1.ResourceRule{},
			NonResourceRules: []authorizationv1.NonResourceRule{},
			Incomplete:       true,
		},
	}
	resolver, ok := x.authorizerOf(x.whoAsks()).(authorizer.RuleResolver)
	if !ok {
		return answer, nil
	}
	resources, others, incomplete, err := resolver.RulesFor(ctx, x.whoAsks(), namespace)
	answer.Status.Incomplete = incomplete
	if err != nil {
		answer.Status.EvaluationError = err.Error()
	}
	for _, r := range resources {
		answer.Status.ResourceRules = append(answer.Status.ResourceRules, authorizationv1.ResourceRule{
			Verbs: r.GetVerbs(), APIGroups: r.GetAPIGroups(), Resources: r.GetResources(), ResourceNames: r.GetResourceNames()})
	}
	for _, r := range others {
		answer.Status.NonResourceRules = append(answer.Status.NonResourceRules, authorizationv1.NonResourceRule{
			Verbs: r.GetVerbs(), NonResourceURLs: r.GetNonResourceURLs()})
	}
	return answer, nil
}
