package rest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// This file has what creates did up to 1.13 until somebody had initialized the new object (IN-10):
// kubernetes/kubernetes@v1.13.12:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go, WaitForInitialized.

// A wait is that of a create for an object that is not initialized.
type wait struct {
	object cluster.Key
	left   time.Duration                       // of the time of the request
	failed func(*cluster.State) *cluster.State // see [Response.Failed]
}

// whenInitialized returns the answer to a POST that stored an object. mutated is how long the request took up to the end
// of the mutating phase, which does not count.
func (x *exchange) whenInitialized(created runtime.Object, mutated time.Duration) (int, runtime.Object, error) {
	if x.server.release().Has(kubeversion.NoInitializers) {
		return http.StatusCreated, created, nil
	}
	in := change.InitializationOf(created)
	switch {
	case in == nil:
		return http.StatusCreated, created, nil
	case x.answersUninitialized():
		return http.StatusAccepted, created, nil
	case in.Failure != nil:
		if release := x.releases(created); release != nil {
			x.state = release(x.state)
		}
		return 0, nil, x.notInitialized(trace.Step{Because: "the new object says that its initialization failed"}, in.Failure)
	}
	m, err := meta.Accessor(created)
	if err != nil {
		return 0, nil, err
	}
	x.limit = x.req.Limit(x.server.release())
	left := x.limit - x.elapsed
	if x.limit < requestTimeout { // the limit of the handler, not that of the server
		left += mutated
	}
	x.wait = wait{x.key(m.GetName()), max(0, left), x.releases(created)}
	waited := "nobody initialized the object"
	switch pending := strings.Join(in.Pending, ", "); len(in.Pending) {
	case 0:
	case 1:
		waited = pending + " is still in metadata.initializers.pending: nobody removed it"
	default:
		waited = pending + " are still in metadata.initializers.pending: nobody removed them"
	}
	step := trace.Step{
		Because:  waited,
		Hint:     waited + `; the object is stored nevertheless; a Request with query: {includeUninitialized: "1"} is answered at once`,
		Duration: x.wait.left,
	}
	x.admission().Elapsed += x.wait.left
	return 0, nil, x.notInitialized(step, apierrors.NewTimeoutError(x.timeoutMessage(), 0))
}

// releases returns what takes back the address and the ports of a new service whose creation fails (IN-14):
// kubernetes/kubernetes@v1.13.12:pkg/registry/core/service/storage/rest.go, Create. It is nil for other objects.
func (x *exchange) releases(created runtime.Object) func(*cluster.State) *cluster.State {
	service, ok := created.(*corev1.Service)
	if !ok || x.dryRun() {
		return nil
	}
	return func(s *cluster.State) *cluster.State { return change.Release(s, service) }
}

// answersUninitialized reports whether the client wants an answer at once.
func (x *exchange) answersUninitialized() bool {
	if !x.server.release().Has(kubeversion.IncludeUninitializedOption) {
		return x.req.Query.Get("includeUninitialized") == "1"
	}
	return selectors.IsTrue(x.req.Query, "includeUninitialized")
}

// notInitialized refuses a create although the object was stored.
func (x *exchange) notInitialized(step trace.Step, why error) error {
	step.Plugin, step.Outcome, step.Denial = "initialization", trace.Denied, admission.StatusOf(why)
	refused := refuseWith(step.Denial)
	refused.by = new(x.serverStep(step))
	return refused
}

// initialized returns the answer of a create that waits, after a write. ended is false if it waits on.
func (x *exchange) initialized(c cluster.Change) (answer Response, ended bool, err error) {
	if c.Key != x.wait.object || c.Before.Object == nil {
		return Response{}, false, nil
	}
	if c.After.Object != nil {
		if in := change.InitializationOf(c.After.Object); in != nil && in.Failure == nil {
			return Response{}, false, nil
		}
	}
	next := *x
	next.wait, next.deniedBy = wait{}, nil
	next.admissions = slices.Clone(x.admissions)
	a := next.admission()
	a.Elapsed -= x.wait.left
	a.Steps = slices.Clone(a.Steps[:len(a.Steps)-1]) // the last step says that nobody did so in time
	object, err := next.endOfWait(c)
	if refused := next.ends(err); refused != nil {
		return next.response(refused.code, refused.body), true, nil
	}
	return next.response(http.StatusCreated, object), true, err
}

// endOfWait returns the object that was waited for, or refuses the create.
func (x *exchange) endOfWait(c cluster.Change) (runtime.Object, error) {
	last := c.After.Object
	if last == nil {
		last = c.Before.Object
	}
	in := change.InitializationOf(last)
	switch {
	case in != nil && in.Failure != nil:
		return nil, x.notInitialized(trace.Step{Because: "the initialization failed"}, in.Failure)
	case c.After.Object == nil:
		return nil, x.notInitialized(trace.Step{Because: "the object was deleted before it was initialized"},
			apierrors.NewInternalError(errors.New("object deleted while waiting for creation")))
	}
	object, err := x.served(last)
	if err != nil {
		return nil, err
	}
	x.serverStep(trace.Step{Plugin: "initialization", Outcome: trace.Allowed, Because: "the object was initialized in time"})
	return x.shown(object), nil
}

// dropUninitialized deletes an object that an update left with the reason why its initialization failed, whatever its
// finalizers (IN-11).
func (x *exchange) dropUninitialized(ctx context.Context, updated runtime.Object) (dropped bool, err error) {
	if x.server.release().Has(kubeversion.NoInitializers) {
		return false, nil
	}
	if in := change.InitializationOf(updated); in == nil || in.Failure == nil {
		return false, nil
	}
	x.serverStep(trace.Step{Plugin: "initialization", Outcome: trace.Allowed, Because: "the initialization of the object failed: it is deleted"})
	if x.dryRun() {
		return true, nil
	}
	return true, x.forget(ctx, x.req.Name)
}
