package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// An Authorization is the answer of the server's authorizers to a request. They are asked before anything else
// happens.
type Authorization struct {
	Allowed bool
	Reason  string         // of the authorizers; often empty
	Refusal *metav1.Status // the answer to the request if it is not allowed
}

// Authorization asks the authorizers about a request, even if the server does not.
func (s *Server) Authorization(ctx context.Context, state *cluster.State, req Request) (Authorization, error) {
	return newExchange(s, state, req).authorization(ctx)
}

func (x *exchange) authorization(ctx context.Context) (Authorization, error) {
	question := x.question()
	decision, reason, err := x.authorizerOf(question.User).Authorize(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return Authorization{Allowed: true, Reason: reason}, nil
	case err != nil:
		return Authorization{}, err
	}
	return Authorization{Reason: reason, Refusal: admission.StatusOf(notAuthorized(question, reason))}, nil
}

// authorize ends the request unless it is allowed, and notes what was said in the audit event:
// kubernetes/apiserver:pkg/endpoints/filters/authorization.go.
func (x *exchange) authorize(ctx context.Context) error {
	if !x.server.Authorizes {
		return nil
	}
	a, err := x.authorization(ctx)
	if err != nil {
		return err
	}
	decision := "forbid"
	if a.Allowed {
		decision = "allow"
	}
	x.annotations.Add("authorization.k8s.io/decision", decision)
	x.annotations.Add("authorization.k8s.io/reason", a.Reason)
	if a.Refusal != nil {
		return refuseWith(a.Refusal)
	}
	return nil
}

// question is the request as authorizers see it, by its URL alone: kubernetes/apiserver:
// pkg/endpoints/request/requestinfo.go.
func (x *exchange) question() authorizer.AttributesRecord {
	q := authorizer.AttributesRecord{
		User:            x.whoAsks(),
		Verb:            x.verb(),
		Namespace:       x.req.Namespace,
		APIGroup:        x.req.Resource.Group,
		APIVersion:      x.req.Resource.Version,
		Resource:        x.req.Resource.Resource,
		Subresource:     x.req.Subresource,
		Name:            x.req.Name,
		ResourceRequest: true,
	}
	if sub, _, found := strings.Cut(q.Subresource, "/"); found {
		q.Subresource = sub // a path follows behind it
	}
	if isNamespace(x.req.Resource) && q.Namespace == "" {
		q.Namespace = q.Name
	}
	if q.Name != "" || q.Verb != List && q.Verb != watch && q.Verb != DeleteCollection {
		return q
	}
	selector, err := fields.ParseSelector(x.req.Query.Get("fieldSelector"))
	if err != nil {
		return q
	}
	if x.server.release().Has(kubeversion.AuthorizerSelectors) {
		q.FieldSelectorRequirements = selector.Requirements()
	}
	if name, ok := selector.RequiresExactMatch(metav1.ObjectNameField); ok && q.Verb != DeleteCollection && len(path.IsValidPathSegmentName(name)) == 0 {
		q.Name = name
	}
	return q
}

// watch is what a list is for authorizers that goes on.
const watch = "watch"

// verb is that of the request for authorizers.
func (x *exchange) verb() string {
	switch {
	case x.req.Verb == Delete && x.req.Name == "":
		return DeleteCollection
	case x.req.Verb == List && (x.req.Query.Get("watch") == "true" || x.req.Query.Get("watch") == "1"):
		return watch
	case x.req.Verb == Connect && strings.HasPrefix(x.req.Subresource, "proxy"):
		return Get // with another method it would be another
	case x.req.Verb == Connect:
		return Create
	}
	return x.req.Verb
}

// authorizerOf answers questions about who as the cluster is now.
func (x *exchange) authorizerOf(who user.Info) authorizer.UnconditionalAuthorizer {
	return cluster.In(x.server.Authorizer, x.state, who.GetName())
}

// mayCreate asks whether the user may create what the request turned out to create (W-015).
func (x *exchange) mayCreate(ctx context.Context) error {
	question := x.question()
	question.Verb, question.Namespace = Create, x.req.Namespace
	decision, reason, err := x.authorizerOf(question.User).Authorize(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return refuse(apierrors.NewInternalError(err))
	}
	if !x.server.release().Has(kubeversion.CreateRefusals) {
		return refuse(apierrors.NewForbidden(x.req.Resource.GroupResource(), x.req.Name, errors.New(reason)))
	}
	return refuse(notAuthorized(question, reason))
}

// htmlFree keeps an error from looking like HTML.
var htmlFree = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// notAuthorized follows
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/errors.go, ForbiddenStatusError.
func notAuthorized(q authorizer.AttributesRecord, reason string) error {
	where := "at the cluster scope"
	if q.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", q.Namespace)
	}
	resource := q.Resource
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	text := htmlFree.Replace(fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", q.User.GetName(), q.Verb, resource, q.APIGroup, where))
	if reason != "" {
		text += ": " + reason
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: q.APIGroup, Resource: q.Resource}, q.Name, errors.New(text))
}
