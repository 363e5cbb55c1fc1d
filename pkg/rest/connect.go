package rest

import (
	"context"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// connects reports whether the request opens a connection, whatever its method (PL-23).
func (x *exchange) connects() bool {
	return slices.Contains(x.resource.Subresources[x.req.Subresource].Verbs, Connect)
}

// connect answers exec, attach, portforward and proxy: both phases look at the options,
// and only then does the server look for what to connect to (W-020, PL-23). In a simulated
// cluster it never gets further than that, so that the answer is always a refusal.
func (x *exchange) connect(ctx context.Context) (int, runtime.Object, error) {
	x.limit = 0 // long running (W-031)
	if x.dryRun() {
		return 0, nil, badRequest("dryRun is not supported")
	}
	options, err := connectOptions(x.kind, x.req.Query, x.path)
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

// reach says why nothing is reached with the options that admission left.
func (x *exchange) reach(options runtime.Object) error {
	switch o := options.(type) {
	case *corev1.PodExecOptions:
		return x.reachContainer(o.Container)
	case *corev1.PodAttachOptions:
		return x.reachContainer(o.Container)
	case *corev1.PodPortForwardOptions:
		return x.reachKubelet()
	case *corev1.PodProxyOptions:
		return x.reachPod()
	case *corev1.ServiceProxyOptions:
		return x.reachService()
	case *corev1.NodeProxyOptions:
		return x.reachNode()
	}
	return fmt.Errorf("connecting with a %T", options)
}

// errNoUpgrade ends a request for a stream that comes as an ordinary one, as all do here.
func errNoUpgrade() error { return badRequest("Upgrade request required") }

// unreachable is the answer where the server would have connected.
func unreachable() error {
	return refuse(apierrors.NewServiceUnavailable("error trying to reach service: nothing runs in a simulated cluster"))
}
