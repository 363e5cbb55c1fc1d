package admsimtest

import (
	"context"
	"net/url"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/internal/testcluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// A RequestOption changes a request.
type RequestOption func(*request)

type request struct{ testcluster.Variation }

// As sends the request as another user.
func As(username string, groups ...string) RequestOption {
	return func(r *request) { r.User = &authenticationv1.UserInfo{Username: username, Groups: groups} }
}

// Subresource sends the request to a subresource of the object, such as status or scale.
func Subresource(name string) RequestOption { return func(r *request) { r.Subresource = name } }

// DryRun makes the request a dry run, which stores nothing.
func DryRun() RequestOption { return func(r *request) { r.Query.Set("dryRun", "All") } }

// FieldManager names the manager of the fields that the request sets.
func FieldManager(name string) RequestOption {
	return func(r *request) { r.Query.Set("fieldManager", name) }
}

// Create creates an object.
func (c *Cluster) Create(object runtime.Object, o ...RequestOption) *Result {
	c.t.Helper()
	r, err := c.inner.Create(object, variation(o))
	return c.send(r, err)
}

// Update replaces an existing object.
func (c *Cluster) Update(object runtime.Object, o ...RequestOption) *Result {
	c.t.Helper()
	r, err := c.inner.Update(object, variation(o))
	return c.send(r, err)
}

// Delete deletes an existing object.
func (c *Cluster) Delete(object runtime.Object, o ...RequestOption) *Result {
	c.t.Helper()
	r, err := c.inner.Delete(object, variation(o))
	return c.send(r, err)
}

// Get reads an object. Admission is not involved.
func (c *Cluster) Get(object runtime.Object) *Result {
	c.t.Helper()
	r, err := c.inner.Get(object)
	return c.send(r, err)
}

// Patch changes an existing object.
func (c *Cluster) Patch(object runtime.Object, kind types.PatchType, patch []byte, o ...RequestOption) *Result {
	c.t.Helper()
	r, err := c.inner.Patch(object, kind, patch, variation(o))
	return c.send(r, err)
}

// Admit sends a request whose objects an API server has prepared, such as a recorded one, through the chain.
func (c *Cluster) Admit(review *admissionv1.AdmissionRequest) *Result {
	c.t.Helper()
	return c.ask(scenario.Request{Review: review, User: &review.UserInfo})
}

// Review sends the request in an AdmissionReview in JSON, v1 or v1beta1, through the chain. A response in it is
// ignored.
func (c *Cluster) Review(review []byte) *Result {
	c.t.Helper()
	r, err := testcluster.ParseReview(review)
	return c.send(r, err)
}

// Run sends the requests in files, as `admsim run -f` does: manifests to create, AdmissionReviews, documents of kind
// Request.
func (c *Cluster) Run(paths ...string) []*Result {
	c.t.Helper()
	requests, err := testcluster.LoadRequests(paths...)
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	results := make([]*Result, len(requests))
	for i, r := range requests {
		results[i] = c.ask(r)
	}
	return results
}

// variation returns the combined effect of options on a request.
func variation(options []RequestOption) testcluster.Variation {
	r := request{testcluster.Variation{Query: url.Values{}}}
	for _, o := range options {
		o(&r)
	}
	return r.Variation
}

// send sends r, unless err says that it could not be built.
func (c *Cluster) send(r scenario.Request, err error) *Result {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	return c.ask(r)
}

// ask sends r and returns the result.
func (c *Cluster) ask(r scenario.Request) *Result {
	c.t.Helper()
	result, err := c.answerTo(r)
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(c.handlers.explained(err)))
	}
	return result
}

func (c *Cluster) answerTo(r scenario.Request) (*Result, error) {
	ctx := context.WithoutCancel(c.t.Context())
	served, result, err := c.answerAlone(ctx, r)
	if served == nil {
		return result, err
	}
	var answer testcluster.Answer
	answered, err := served.Store().Ask(ctx, func(sim *simulator.Simulator) (*simulator.Result, error) {
		answer, err = c.inner.Answer(ctx, sim, r)
		return answer.Result, err
	})
	if err != nil {
		return nil, err
	}
	answer.Result = answered
	return c.shown(answer)
}

// answerAlone answers a request if there are no clients; otherwise it returns the cluster that serves them.
func (c *Cluster) answerAlone(ctx context.Context, r scenario.Request) (*serving.Cluster, *Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.served != nil {
		return c.served, nil, nil
	}
	answer, err := c.inner.Answer(ctx, c.sim, r)
	if err != nil {
		return nil, nil, err
	}
	c.sim = answer.Next
	result, err := c.shown(answer)
	return nil, result, err
}

func (c *Cluster) shown(a testcluster.Answer) (*Result, error) {
	shown, err := a.Document()
	if err != nil {
		return nil, err
	}
	return &Result{Result: shown, t: c.t, scheme: c.options.Scheme, before: a.Found, after: a.Next}, nil
}

// For returns a copy of the cluster in its current state, for a subtest. Requests to the copy do not change c.
func (c *Cluster) For(t testing.TB) *Cluster {
	copied := &Cluster{t: t, options: c.options, inner: c.inner, handlers: c.handlers, sim: c.now()}
	t.Cleanup(func() { c.handlers.note(copied.now()) })
	return copied
}
