package rest

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/trace"
)

// begin starts the write of an object: kinds with allocations get them, or are refused, before anything else is
// checked. old is nil on create. What was allocated is settled at the end of the write (see [exchange.settle]).
func (x *exchange) begin(ctx context.Context, object, old runtime.Object) (runtime.Object, objects.Write, error) {
	x.dropped = nil
	write := x.write()
	service, ok := object.(*corev1.Service)
	if !ok || x.req.Subresource != "" {
		return object, write, nil
	}
	a := x.allocation(service)
	a.Old, _ = old.(*corev1.Service)
	tries := 0
	a.Create = func(ip runtime.Object, name string) (*metav1.Status, error) {
		if tries++; tries > mostTries {
			return nil, x.triesTooLong()
		}
		return x.createIPAddress(ctx, ip, name)
	}
	write.Families = a.Families
	allocated, wrong, err := x.server.Types.Allocate(service, a.Old, a, write)
	created, failed := a.Created()
	if failed != nil {
		return nil, write, failed
	}
	x.toRevert = created
	switch {
	case len(wrong) > 0:
		return nil, write, x.invalid(service, wrong)
	case err != nil:
		return nil, write, refuse(err)
	}
	x.toRelease = a.Released(allocated)
	return allocated, write, nil
}

// mostTries is how many addresses are tried for a service, all of a /19, before its time is over. A server is done with 200
// to 800 of them in a second: a 1.30.14 tried all of a /20, but not of a /18.
const mostTries = 8_190

// triesTooLong ends a request whose time is over because the server still tries one address after the other. Here these
// requests of the server to itself take no time. So it is x.elapsed that makes the answer that of a request whose time is
// over; the error only ends the write.
func (x *exchange) triesTooLong() error {
	x.elapsed = max(x.elapsed, x.limit)
	return refuse(apierrors.NewTimeoutError(x.timeoutMessage(), 0))
}

func (x *exchange) allocation(s *corev1.Service) *change.Allocation {
	return &change.Allocation{Service: s, DryRun: x.dryRun(), State: x.state, Release: x.server.release(), Freed: x.server.AddressesFreed}
}

// settle ends the write that begin started. If it succeeded, the addresses that the object does not need any more are
// free, or else those that were allocated for it: kubernetes/kubernetes:pkg/registry/core/service/storage/alloc.go.
func (x *exchange) settle(ctx context.Context, succeeded bool) error {
	names := x.toRevert
	if succeeded {
		names = x.toRelease
	}
	x.toRevert, x.toRelease = nil, nil
	return x.deleteIPAddresses(ctx, names)
}

func (x *exchange) createIPAddress(ctx context.Context, ip runtime.Object, name string) (refused *metav1.Status, err error) {
	req, err := x.server.requestFor(Create, "", ip)
	if err != nil {
		version := ip.GetObjectKind().GroupVersionKind().GroupVersion()
		return nil, fmt.Errorf("%w: with the gate MultiCIDRServiceAllocator, a server does not start without --runtime-config=%s=true", err, version)
	}
	return x.askForIPAddress(ctx, req, name)
}

// deleteIPAddresses frees addresses. The server ignores that it cannot delete them.
func (x *exchange) deleteIPAddresses(ctx context.Context, names []string) error {
	for _, name := range names {
		_, err := x.askForIPAddress(ctx, Request{Verb: Delete, Resource: x.allocation(nil).Resource(), Name: name, Body: []byte("{}")}, name)
		if err != nil {
			return err
		}
	}
	return nil
}

// askForIPAddress sends a request of the server to itself that allocates or frees an address. It is a step of the
// request that is being answered, because a refusal of it need not be the answer.
func (x *exchange) askForIPAddress(ctx context.Context, req Request, name string) (refused *metav1.Status, err error) {
	response, sent, err := x.server.doOwn(ctx, x.state, req)
	if err != nil {
		return nil, err
	}
	refused = sent.Refusal()
	because := fmt.Sprintf("%s IPAddress %q", req.Verb, name)
	if refused != nil {
		because += ": " + refused.Message
	}
	step := trace.Step{Plugin: "addresses", Outcome: trace.Allowed, Because: because}
	step.Send(x.elapsed, sent)
	x.serverStep(step)
	x.sent, x.state, x.elapsed = append(x.sent, step.Did().Sent...), response.State, x.elapsed+step.Duration
	return refused, nil
}
