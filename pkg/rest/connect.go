package rest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/subresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// connects reports whether the request opens a connection (PL-23).
func (x *exchange) connects() bool {
	return slices.Contains(x.resource.Subresources[x.req.Subresource].Verbs, Connect)
}

// canConnect reports whether the request has a method that connects. A proxy passes on every method; the other connections
// begin with GET or POST: kubernetes/kubernetes:pkg/registry/core/pod/rest/subresources.go.
func (x *exchange) canConnect() bool {
	verb := x.req.Verb
	if verb == Connect {
		verb = x.connectVerb()
	}
	return strings.HasPrefix(x.req.Subresource, "proxy") || verb == Get && !x.req.Head || verb == Create
}

// connectVerb returns the verb of the method of a connection. Unless the request says it, a proxy passes on a GET, and the
// other connections begin with a POST.
func (x *exchange) connectVerb() string {
	if strings.HasPrefix(x.req.Subresource, "proxy") {
		return cmp.Or(x.req.ConnectVerb, Get)
	}
	return cmp.Or(x.req.ConnectVerb, Create)
}

// connect answers exec, attach, portforward and proxy: both phases see the options, and only then does the server look
// for what to connect to (W-020, PL-23). A simulated cluster never gets further, so the answer is always a refusal.
func (x *exchange) connect(ctx context.Context) (int, runtime.Object, error) {
	x.limit = 0 // long running (W-031)
	if x.dryRun() {
		return 0, nil, badRequest("dryRun is not supported")
	}
	kind := x.kind
	if !x.server.release().Has(kubeversion.ConnectOptions) {
		kind, _ = kubeversion.Default().KindFor(x.req.Resource, x.req.Subresource) // admission gets the kind of the parent
	}
	options, err := subresources.ConnectOptions(kind, x.req.Query, x.path)
	if err != nil {
		return 0, nil, refuseServers(err)
	}
	a, err := x.mutate(ctx, x.attributes(admissionv1.Connect, options, nil, nil))
	if err != nil {
		return 0, nil, err
	}
	if err := x.validate(ctx, a); err != nil {
		return 0, nil, err
	}
	if err := x.mayConnect(ctx); err != nil {
		return 0, nil, err
	}
	refused, connects, err := x.subresource().Connect(a.Object)
	if err != nil {
		return 0, nil, err
	}
	x.connected = connects
	return 0, nil, refuse(refused)
}

// subresource returns the request in the form in which package subresources gets it.
func (x *exchange) subresource() subresources.Request {
	return subresources.Request{
		Resource: x.req.Resource.GroupResource(), Namespace: x.req.Namespace, Name: x.req.Name,
		State: x.state, Types: x.server.Types, Release: x.server.release(),
	}
}

// log answers a GET of pods/log.
func (x *exchange) log() (int, runtime.Object, error) {
	if err := x.subresource().Log(x.req.Query.Get("container")); err != nil {
		return 0, nil, refuse(err)
	}
	return 204, text(""), nil
}
