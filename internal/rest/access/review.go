package access

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Review returns whether a user may do something.
func (r Request) Review(ctx context.Context, who user.Info, a *authorizationv1.ResourceAttributes, n *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	question := authorizer.AttributesRecord{User: who}
	if a != nil {
		question.ResourceRequest = true
		question.Verb, question.Namespace, question.Name = a.Verb, a.Namespace, a.Name
		question.APIGroup, question.APIVersion = a.Group, matchAny(a.Version)
		question.Resource, question.Subresource = a.Resource, a.Subresource
		if r.Release.Has(kubeversion.AuthorizerSelectors) {
			question.FieldSelectorRequirements = selectedFields(a.FieldSelector)
			question.LabelSelectorRequirements = selectedLabels(a.LabelSelector)
		}
	} else if n != nil {
		question.Verb, question.Path = n.Verb, n.Path
	}
	asked := r.authorizerOf(who)
	decision, reason, err := asked.Authorize(ctx, question)
	status := authorizationv1.SubjectAccessReviewStatus{
		Allowed: decision == authorizer.DecisionAllow,
		Denied:  decision == authorizer.DecisionDeny,
		Reason:  reason,
	}
	if status.Allowed {
		status.Reason = oneReason(ctx, asked, question, reason)
	}
	status.EvaluationError = evaluationError(err, a, r.Release)
	return status
}

// oneReason returns one of the reasons why a question is allowed, usually the given one (AU-11).
func oneReason(ctx context.Context, asked authorizer.UnconditionalAuthorizer, question authorizer.Attributes, given string) string {
	several, ok := asked.(interface {
		Reasons(authorizer.Attributes) []string
	})
	if !ok {
		return given
	}
	if all := several.Reasons(question); len(all) > 1 && all[0] == given {
		return all[admission.CourseOf(ctx).OneOf(len(all), "several bindings allow it, and the server goes through them in any order")]
	}
	return given
}

func matchAny(version string) string {
	if version == "" {
		return "*"
	}
	return version
}

// Rules lists what the sender may do in a namespace, as far as the authorizer can tell.
func (r Request) Rules(ctx context.Context, namespace string) authorizationv1.SubjectRulesReviewStatus {
	status := authorizationv1.SubjectRulesReviewStatus{
		ResourceRules:    []authorizationv1.ResourceRule{},
		NonResourceRules: []authorizationv1.NonResourceRule{},
		Incomplete:       true,
	}
	resolver, ok := r.authorizerOf(r.Who()).(authorizer.RuleResolver)
	if !ok {
		return status
	}
	resources, others, incomplete, err := resolver.RulesFor(ctx, r.Who(), namespace)
	status.Incomplete = incomplete
	if err != nil {
		status.EvaluationError = err.Error()
	}
	for _, one := range resources {
		status.ResourceRules = append(status.ResourceRules, authorizationv1.ResourceRule{
			Verbs: one.GetVerbs(), APIGroups: one.GetAPIGroups(), Resources: one.GetResources(), ResourceNames: one.GetResourceNames()})
	}
	for _, one := range others {
		status.NonResourceRules = append(status.NonResourceRules, authorizationv1.NonResourceRule{
			Verbs: one.GetVerbs(), NonResourceURLs: one.GetNonResourceURLs()})
	}
	return status
}
