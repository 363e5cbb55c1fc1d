package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/cluster"
)

// authorizerOf answers questions about who as the cluster is now.
func (x *exchange) authorizerOf(who user.Info) authorizer.UnconditionalAuthorizer {
	return cluster.In(x.server.Authorizer, x.state, who.GetName())
}

// mayCreate asks whether the user may create what the request turned out to create (W-015).
func (x *exchange) mayCreate(ctx context.Context) error {
	question := authorizer.AttributesRecord{
		User:            x.whoAsks(),
		Verb:            "create",
		Namespace:       x.req.Namespace,
		APIGroup:        x.req.Resource.Group,
		APIVersion:      x.req.Resource.Version,
		Resource:        x.req.Resource.Resource,
		Subresource:     x.req.Subresource,
		Name:            x.req.Name,
		ResourceRequest: true,
	}
	decision, reason, err := x.authorizerOf(question.User).Authorize(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return refuse(apierrors.NewInternalError(err))
	}
	return x.notAuthorized("create", reason)
}

// htmlFree keeps an error from looking like HTML.
var htmlFree = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// notAuthorized follows
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/errors.go, ForbiddenStatusError.
func (x *exchange) notAuthorized(verb, reason string) error {
	where := "at the cluster scope"
	if x.req.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", x.req.Namespace)
	}
	text := htmlFree.Replace(fmt.Sprintf("User %q cannot %s resource %q in API group %q %s",
		x.req.User.Username, verb, x.pathOf(), x.req.Resource.Group, where))
	if reason != "" {
		text += ": " + reason
	}
	return refuse(apierrors.NewForbidden(x.req.Resource.GroupResource(), x.req.Name, errors.New(text)))
}
