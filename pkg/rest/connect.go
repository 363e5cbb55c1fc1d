package rest

import (
	"context"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// connects tells whether the request opens a connection, whatever its method (PL-23).
func (x *exchange) connects() bool {
	if x.req.Subresource == "" {
		return false
	}
	for _, verb := range x.resource.Subresources[x.req.Subresource].Verbs {
		if verb == Connect {
			return true
		}
	}
	return false
}

// connect answers exec, attach, portforward and proxy: both phases look at the options,
// and only then does the server look for what to connect to (W-020, PL-23).
func (x *exchange) connect(ctx context.Context) (int, runtime.Object, error) {
	if x.dryRun() {
		return 0, nil, badRequest("dryRun is not supported")
	}
	x.limit = 0
	options, err := x.connectOptions()
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
	if _, _, err := x.stored(x.req.Name); err != nil {
		return 0, nil, err
	}
	return 0, nil, refuse(apierrors.NewBadRequest(http.StatusText(http.StatusUpgradeRequired)))
}
