// Package access checks what the user of a request may do: whether the request is allowed at all, and what else a write
// requires of a user who grants roles, has policies read params, or uses devices as an administrator. It also answers
// access reviews.
//
// Start with a [Request]. Errors are those of the server, except for those of [Request.Decide], which come from the
// authorizer. The package does not know what is done to objects.
package access

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Request describes what is requested, by whom, and the cluster that it finds.
type Request struct {
	Verb        string // as authorizers name it
	Resource    schema.GroupVersionResource
	Subresource string // proxy/ may be followed by the requested path
	Namespace   string
	Name        string
	Query       url.Values
	User        authenticationv1.UserInfo
	Kind        schema.GroupVersionKind // kind of the resource

	State      *cluster.State
	Release    *kubeversion.Release
	Resources  *discovery.Resources
	Types      *objects.Types
	Authorizer authorizer.UnconditionalAuthorizer
}

// Who returns the user of the request as authorizers know them.
func (r Request) Who() user.Info {
	return admission.Subject(r.User.Username, r.User.UID, r.User.Groups, r.User.Extra)
}

// A decider is a chain of authorizers that returns which of them decided.
type decider interface {
	Decide(ctx context.Context, question authorizer.Attributes) (decision authorizer.Decision, reason, by string, err error)
}

// Decide asks the authorizers about the request. question is what they were asked, by is the authorizer that decided,
// if known.
func (r Request) Decide(ctx context.Context) (question authorizer.AttributesRecord, decision authorizer.Decision, reason, by string, err error) {
	question = r.Question()
	of := r.authorizerOf(question.User)
	if all, ok := of.(decider); ok {
		decision, reason, by, err = all.Decide(ctx, question)
	} else {
		decision, reason, err = of.Authorize(ctx, question)
	}
	return question, decision, reason, by, err
}

// Ask asks the authorizers another question.
func (r Request) Ask(ctx context.Context, question authorizer.AttributesRecord) (authorizer.Decision, string, error) {
	return r.authorizerOf(question.User).Authorize(ctx, question)
}

// MayAsk asks the authorizers another question, and returns the server's refusal if the answer is no.
func (r Request) MayAsk(ctx context.Context, question authorizer.AttributesRecord) error {
	decision, reason, err := r.Ask(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil && reason != "":
		reason = fmt.Sprintf("%v: %s", err, reason)
	case err != nil:
		reason = err.Error()
	}
	return NotAuthorized(question, reason)
}

// Question returns the request as authorizers see it, derived only from its URL:
// kubernetes/apiserver:pkg/endpoints/request/requestinfo.go.
func (r Request) Question() authorizer.AttributesRecord {
	q := authorizer.AttributesRecord{
		User:            r.Who(),
		Verb:            r.Verb,
		Namespace:       r.Namespace,
		APIGroup:        r.Resource.Group,
		APIVersion:      r.Resource.Version,
		Resource:        r.Resource.Resource,
		Subresource:     r.Subresource,
		Name:            r.Name,
		ResourceRequest: true,
	}
	if sub, _, found := strings.Cut(q.Subresource, "/"); found {
		q.Subresource = sub // the rest is a path
	}
	if r.Resource.Group == "" && r.Resource.Resource == "namespaces" && q.Namespace == "" {
		q.Namespace = q.Name
	}
	if q.Name != "" || q.Verb != "list" && q.Verb != Watch && q.Verb != "deletecollection" {
		return q
	}
	if r.Release.Has(kubeversion.AuthorizerSelectors) {
		q.LabelSelectorRequirements = parsedLabels(r.Query.Get("labelSelector"))
	}
	selector, err := fields.ParseSelector(r.Query.Get("fieldSelector"))
	if err != nil {
		return q
	}
	if r.Release.Has(kubeversion.AuthorizerSelectors) {
		q.FieldSelectorRequirements = selector.Requirements()
	}
	if name, ok := selector.RequiresExactMatch(metav1.ObjectNameField); ok && q.Verb != "deletecollection" && len(path.IsValidPathSegmentName(name)) == 0 {
		q.Name = name
	}
	return q
}

// Watch is the authorizers' verb for a list that is followed by its changes.
const Watch = "watch"

// authorizerOf returns the authorizer for questions about who in the current state of the cluster.
func (r Request) authorizerOf(who user.Info) authorizer.UnconditionalAuthorizer {
	return cluster.In(r.Authorizer, r.State, who.GetName())
}

// MayCreate checks whether the user may create an object, for a request that turned out to create one (W-015).
func (r Request) MayCreate(ctx context.Context) error {
	question := r.Question()
	question.Verb, question.Namespace = "create", r.Namespace
	decision, reason, err := r.authorizerOf(question.User).Authorize(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(err)
	}
	if !r.Release.Has(kubeversion.CreateRefusals) {
		return apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, errors.New(reason))
	}
	return NotAuthorized(question, reason)
}

// MayConnect checks whether the user may create a connection, for a request with a method that asks for another verb:
// kubernetes/kubernetes:pkg/registry/core/pod/rest/authorize.go.
func (r Request) MayConnect(ctx context.Context) error {
	question := r.Question()
	if question.Verb == "create" {
		return nil
	}
	question.Verb = "create"
	decision, reason, err := r.Ask(ctx, question)
	if err == nil && decision != authorizer.DecisionAllow {
		return apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, errors.New(reason))
	}
	return err
}

// htmlFree escapes an error so that it cannot be taken for HTML.
var htmlFree = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// NotEvaluated returns the text of the answer to a request whose authorizers fail:
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/errors.go, InternalError.
func NotEvaluated(uri string, err error) string {
	return htmlFree.Replace(fmt.Sprintf("Internal Server Error: %q: %v", uri, err)) + "\n"
}

// NotAuthorized returns the refusal of a request that is not allowed:
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/errors.go, ForbiddenStatusError.
func NotAuthorized(q authorizer.AttributesRecord, reason string) error {
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
