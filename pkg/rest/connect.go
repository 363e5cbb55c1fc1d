package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/reach"
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
		verb = cmp.Or(x.req.ConnectVerb, Get)
	}
	return strings.HasPrefix(x.req.Subresource, "proxy") || verb == Get || verb == Create
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
	options, err := connectOptions(kind, x.req.Query, x.path)
	if err != nil {
		return 0, nil, err
	}
	a, err := x.mutate(ctx, x.attributes(admissionv1.Connect, options, nil, nil))
	if err != nil {
		return 0, nil, err
	}
	if err := x.validate(ctx, a); err != nil {
		return 0, nil, err
	}
	return 0, nil, x.reach(a.Object)
}

// reach returns the error for connecting with the options that admission returned.
func (x *exchange) reach(options runtime.Object) error {
	to, err := x.reachRequest(), error(nil)
	switch o := options.(type) {
	case *corev1.PodExecOptions:
		err = to.Container(o.Container)
	case *corev1.PodAttachOptions:
		err = to.Container(o.Container)
	case *corev1.PodPortForwardOptions:
		err = to.Kubelet()
	case *corev1.PodProxyOptions:
		err = to.Pod()
	case *corev1.ServiceProxyOptions:
		err = to.Service()
	case *corev1.NodeProxyOptions:
		err = to.Node()
	default:
		return fmt.Errorf("connecting with a %T", options)
	}
	x.connected = errors.As(err, &reach.Unsimulated{})
	return refuse(err)
}

func (x *exchange) reachRequest() reach.Request {
	return reach.Request{
		Resource: x.req.Resource.GroupResource(), Namespace: x.req.Namespace, Name: x.req.Name,
		State: x.state, Release: x.server.release(),
	}
}

// log answers a GET of pods/log.
func (x *exchange) log() (int, runtime.Object, error) {
	if err := x.reachRequest().Log(x.req.Query.Get("container")); err != nil {
		return 0, nil, refuse(err)
	}
	return 204, text(""), nil
}
