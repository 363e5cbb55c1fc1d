package rest

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/rest/access"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// An Authorization is the answer of the server's authorizers to a request. They are consulted before anything else
// happens.
type Authorization struct {
	Allowed bool
	By      string         // the authorizer that decided; empty: none of them did
	Reason  string         // of the authorizers; often empty
	Refusal *metav1.Status // the answer to the request if it is not allowed
	Failure string         // set instead of Refusal if an authorizer failed: the text of the answer
	Hooks   []trace.Hook   // the webhooks that were called
}

// Authorization returns the answer of the authorizers to a request, even if the server does not authorize requests.
func (s *Server) Authorization(ctx context.Context, state *cluster.State, req Request) (Authorization, error) {
	return newExchange(s, state, req).authorization(ctx)
}

// Allows returns the answer of the authorizers to question, which a request for uri asks. It has no refusal.
func (s *Server) Allows(ctx context.Context, state *cluster.State, question authorizer.AttributesRecord, uri string) Authorization {
	decision, reason, err := cluster.In(s.Authorizer, state, question.GetUser().GetName()).Authorize(ctx, question)
	a := Authorization{Allowed: decision == authorizer.DecisionAllow, Reason: reason}
	if !a.Allowed && err != nil {
		a.Failure = access.NotEvaluated(uri, err)
	}
	return a
}

// AuditAnnotations returns what the audit log says about the answer:
// kubernetes/apiserver:pkg/endpoints/filters/authorization.go.
func (a *Authorization) AuditAnnotations() map[string]string {
	const decision, reason = "authorization.k8s.io/decision", "authorization.k8s.io/reason"
	switch {
	case a.Failure != "":
		return map[string]string{reason: "internal error"}
	case a.Allowed:
		return map[string]string{decision: "allow", reason: a.Reason}
	}
	return map[string]string{decision: "forbid", reason: a.Reason}
}

func (x *exchange) authorization(ctx context.Context) (Authorization, error) {
	question, decision, reason, by, err := x.access().Decide(ctx)
	a := Authorization{Allowed: decision == authorizer.DecisionAllow, By: by, Reason: reason}
	if x.server.Questions != nil {
		var took time.Duration
		a.Hooks, took = sequential(x.server.Questions(), x.elapsed)
		x.elapsed += took
	}
	switch {
	case a.Allowed:
	case err != nil:
		a.Failure = access.NotEvaluated(x.uri(), err)
	default:
		a.Refusal = admission.StatusOf(access.NotAuthorized(question, reason))
	}
	return a, ctx.Err()
}

// authorize ends the request unless it is allowed, and records the decision in the audit event.
func (x *exchange) authorize(ctx context.Context) error {
	if !x.server.Authorizes {
		return nil
	}
	a, err := x.authorization(ctx)
	if err != nil {
		return err
	}
	x.authorized = &a
	for key, value := range a.AuditAnnotations() {
		x.annotations.Add(key, value)
	}
	switch {
	case a.Failure != "":
		return &refusal{code: http.StatusInternalServerError, body: text(a.Failure)}
	case a.Refusal != nil:
		return refuseWith(a.Refusal)
	}
	return nil
}

// uri returns the URI in the first line of the request.
func (x *exchange) uri() string {
	uri := url.URL{Path: x.req.Path(), RawQuery: x.req.Query.Encode()}
	return uri.RequestURI()
}

// verb returns the verb of the request for authorizers.
func (x *exchange) verb() string {
	switch {
	case x.req.Verb == Delete && x.req.Name == "":
		return DeleteCollection
	case x.req.Verb == List && (x.req.Query.Get("watch") == "true" || x.req.Query.Get("watch") == "1"):
		return access.Watch
	case x.req.Verb == Connect:
		return x.connectVerb()
	}
	return x.req.Verb
}

// access returns the request in the form in which questions about it, and about its content, are asked.
func (x *exchange) access() access.Request {
	return access.Request{
		Verb:        x.verb(),
		Resource:    x.req.Resource,
		Subresource: x.req.Subresource,
		Namespace:   x.req.Namespace,
		Name:        x.req.Name,
		Query:       x.req.Query,
		User:        x.req.User,
		Kind:        x.resource.Kind,
		State:       x.state,
		Release:     x.server.release(),
		Resources:   x.server.Resources,
		Types:       x.server.Types,
		Authorizer:  x.server.Authorizer,
	}
}

// mayGrant refuses a role or a binding that grants more than its author has. old is nil if the object is new.
func (x *exchange) mayGrant(ctx context.Context, object, old runtime.Object) error {
	if !x.server.Authorizes {
		return nil
	}
	if err := x.access().MayGrant(ctx, object, old); err != nil {
		return refuse(err)
	}
	return nil
}

// mayConnect checks whether the user may also create a connection that begins with a GET (AU-07). A proxy passes on every
// method.
func (x *exchange) mayConnect(ctx context.Context) error {
	const gate = "AuthorizePodWebsocketUpgradeCreatePermission"
	if !x.server.Authorizes || strings.HasPrefix(x.req.Subresource, "proxy") || !x.server.release().GateOn(gate) {
		return nil
	}
	if err := x.access().MayConnect(ctx); err != nil {
		return refuse(err)
	}
	return nil
}

// mayCreate checks whether the user may create the object that the request turned out to create (W-015).
func (x *exchange) mayCreate(ctx context.Context) error {
	if err := x.access().MayCreate(ctx); err != nil {
		return refuse(err)
	}
	return nil
}
