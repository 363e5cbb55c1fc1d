// Package access asks what the sender of a request may do: whether the request is allowed at all, and
// what a write needs besides, of who grants roles, has policies read params, or uses devices as an
// administrator. It also answers reviews of access.
//
// Start with a [Request]. Errors are those of the server, but for those of [Request.Decide], which are
// the authorizer's. The package does not know what is done to objects.
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

// A Request is what is asked about, by whom, and the cluster that it finds.
type Request struct {
	Verb        string // as authorizers know it
	Resource    schema.GroupVersionResource
	Subresource string // behind proxy/ the path to ask for may follow
	Namespace   string
	Name        string
	Query       url.Values
	User        authenticationv1.UserInfo
	Kind        schema.GroupVersionKind // of the resource

	State      *cluster.State
	Release    *kubeversion.Release
	Resources  *discovery.Resources
	Types      *objects.Types
	Authorizer authorizer.UnconditionalAuthorizer
}

// Who is the user of the request as authorizers know them.
func (r Request) Who() user.Info {
	return admission.Subject(r.User.Username, r.User.UID, r.User.Groups, r.User.Extra)
}

// A decider is an authorizer that says which of several it is that decides.
type decider interface {
	Decide(ctx context.Context, question authorizer.Attributes) (decision authorizer.Decision, reason, by string, err error)
}

// Decide asks the authorizers about the request. question is what they were asked, and by the one of them that
// decided, if that is known.
func (r Request) Decide(ctx context.Context) (question authorizer.AttributesRecord, decision authorizer.Decision, reason, by string, err error) {
	question = r.question()
	of := r.authorizerOf(question.User)
	if all, ok := of.(decider); ok {
		decision, reason, by, err = all.Decide(ctx, question)
	} else {
		decision, reason, err = of.Authorize(ctx, question)
	}
	return question, decision, reason, by, err
}

// Ask asks them another question.
func (r Request) Ask(ctx context.Context, question authorizer.AttributesRecord) (authorizer.Decision, string, error) {
	return r.authorizerOf(question.User).Authorize(ctx, question)
}

// question is the request as authorizers see it, by its URL alone: kubernetes/apiserver:
// pkg/endpoints/request/requestinfo.go.
func (r Request) question() authorizer.AttributesRecord {
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
		q.Subresource = sub // a path follows behind it
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

// Watch is what a list is for authorizers that goes on.
const Watch = "watch"

// authorizerOf answers questions about who as the cluster is now.
func (r Request) authorizerOf(who user.Info) authorizer.UnconditionalAuthorizer {
	return cluster.In(r.Authorizer, r.State, who.GetName())
}

// MayCreate asks whether the user may create what the request turned out to create (W-015).
func (r Request) MayCreate(ctx context.Context) error {
	question := r.question()
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

// htmlFree keeps an error from looking like HTML.
var htmlFree = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// NotEvaluated is the text that answers a request whose authorizers fail:
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/errors.go, InternalError.
func NotEvaluated(uri string, err error) string {
	return htmlFree.Replace(fmt.Sprintf("Internal Server Error: %q: %v", uri, err)) + "\n"
}

// NotAuthorized is the refusal of a request that is not allowed:
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
