package rest

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
)

// Admit runs both phases of the chain for a request whose objects are already prepared, such as a recorded review. The
// objects are not changed between the phases, and only writes of plugins change the cluster.
func (s *Server) Admit(ctx context.Context, state *cluster.State, a admission.Request) (Response, error) {
	x := newExchange(s, state, Request{
		Resource:    a.Resource,
		Subresource: a.Subresource,
		Namespace:   a.Namespace,
		Name:        a.Name,
		User:        a.User,
	})
	if a.Operation == admissionv1.Connect {
		x.limit = 0 // long running: no deadline of its own (W-031)
	}
	a.Timeout = x.limit
	a, err := x.mutate(ctx, a)
	if err == nil {
		err = x.validate(ctx, a)
	}
	if refused := x.ends(err); refused != nil {
		return x.response(refused.code, refused.body), nil
	}
	if err != nil {
		return Response{}, err
	}
	if x.timedOut() {
		return x.response(x.timeout()), nil
	}
	if a.Object == nil {
		return x.response(200, &metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status:   metav1.StatusSuccess,
		}), nil
	}
	return x.response(200, a.Object), nil
}
