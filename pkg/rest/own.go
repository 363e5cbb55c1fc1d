package rest

import (
	"context"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// ByServer returns the request as one that the server sends to itself. The server owns the fields that it writes.
func (r Request) ByServer() Request {
	r.User, r.UserAgent = admission.APIServer(), "kube-apiserver"
	return r
}

// AsSent returns the request as the one that a server sent to itself.
func (r Request) AsSent(sent *trace.Sent) Request {
	r.Verb, r.Resource, r.Subresource, r.Namespace, r.Name, r.Body = sent.Verb, sent.Resource, sent.Subresource, sent.Namespace, sent.Name, sent.Body
	if sent.Verb == Patch {
		r.PatchType = MergePatch
	}
	return r.ByServer()
}

// OwnRequests returns a function with which a server sends requests to itself for its plugins: it creates an object, or
// updates a subresource of it, and returns the object as written. at returns the server of a cluster in the middle of a
// request, added what controllers add to an object that was written.
func OwnRequests(at func(*cluster.State) (*Server, error), added func(*cluster.State, cluster.Object) []cluster.Object) plugin.Send {
	return func(ctx context.Context, s *cluster.State, verb, subresource string, object runtime.Object) (sent trace.Sent, wrote []cluster.Object, err error) {
		s = s.Live()
		server, err := at(s)
		if err != nil {
			return sent, nil, err
		}
		req, err := server.requestFor(verb, subresource, object)
		if err != nil {
			return sent, nil, err
		}
		response, sent, err := server.doOwn(ctx, s, req)
		if err != nil || sent.Refusal() != nil {
			return sent, nil, err
		}
		one, _ := response.State.Find(cluster.KeyOf(object))
		return sent, append([]cluster.Object{one}, added(response.State, one)...), nil
	}
}

// requestFor returns a request with an object as its body.
func (s *Server) requestFor(verb, subresource string, object runtime.Object) (req Request, err error) {
	resource, ok := s.Resources.ForKind(object.GetObjectKind().GroupVersionKind())
	if !ok {
		return req, fmt.Errorf("%s is not served", object.GetObjectKind().GroupVersionKind())
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return req, err
	}
	req = Request{Verb: verb, Resource: resource.GroupVersionResource, Subresource: subresource, Namespace: m.GetNamespace()}
	if verb != Create {
		req.Name = m.GetName()
	}
	req.Body, err = s.Types.Encode(object)
	return req, err
}

// doOwn answers a request that the server sends to itself while it answers another one. It is admitted like any other.
func (s *Server) doOwn(ctx context.Context, state *cluster.State, req Request) (Response, trace.Sent, error) {
	req = req.ByServer()
	r, err := s.Do(ctx, state, req)
	return r, trace.Sent{
		Verb: req.Verb, Resource: req.Resource, Subresource: req.Subresource, Namespace: req.Namespace, Name: req.Name, Body: req.Body,
		Code: r.Code, Object: r.Object, DeniedBy: r.DeniedBy, Annotations: r.AuditAnnotations, Admissions: r.Admissions,
	}, err
}

// asServer sends a request that the server itself makes to serve this one. Its admissions are part of the record; its
// warnings and annotations are not for the client.
func (x *exchange) asServer(ctx context.Context, req Request) error {
	response, err := x.ownRequest(ctx, req)
	if err != nil {
		return err
	}
	x.sent[len(x.sent)-1].Shared = true
	x.admissions = append(x.admissions, response.Admissions...)
	if response.Code >= http.StatusBadRequest {
		return &refusal{code: response.Code, body: response.Object, by: response.DeniedBy}
	}
	return nil
}

// ownRequest sends a request that the server itself makes while it serves this one.
func (x *exchange) ownRequest(ctx context.Context, req Request) (Response, error) {
	response, sent, err := x.server.doOwn(ctx, x.state, req)
	if err != nil {
		return response, err
	}
	sent.Start = x.elapsed
	x.sent, x.state = append(x.sent, sent), response.State
	return response, nil
}

// used does what the server does when a token is used.
func (x *exchange) used(ctx context.Context, did trace.Effects) error {
	for _, w := range did.Warnings {
		x.warnings.Add(w)
	}
	for _, a := range did.Annotations {
		x.annotations.Add(a.Key, a.Value)
	}
	for i := range did.Sent {
		if _, err := x.ownRequest(ctx, Request{}.AsSent(&did.Sent[i])); err != nil {
			return err
		}
	}
	return nil
}

// look records that the server asks itself for objects that exist.
func (x *exchange) look(req Request) {
	x.sent = append(x.sent, trace.Sent{
		Verb: req.Verb, Resource: req.Resource, Namespace: req.Namespace, Name: req.Name, Code: http.StatusOK, Start: x.elapsed,
	})
}
