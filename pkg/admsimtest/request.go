package admsimtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A RequestOption changes a request.
type RequestOption func(*request)

type request struct {
	subresource string
	user        *authenticationv1.UserInfo
	query       url.Values
}

// As sends the request as another user.
func As(username string, groups ...string) RequestOption {
	return func(r *request) { r.user = &authenticationv1.UserInfo{Username: username, Groups: groups} }
}

// Subresource sends the request to a subresource of the object, such as status or scale.
func Subresource(name string) RequestOption { return func(r *request) { r.subresource = name } }

// DryRun makes the request a dry run, which stores nothing.
func DryRun() RequestOption { return func(r *request) { r.query.Set("dryRun", "All") } }

// FieldManager names the manager of the fields that the request sets.
func FieldManager(name string) RequestOption {
	return func(r *request) { r.query.Set("fieldManager", name) }
}

// Create creates an object.
func (c *Cluster) Create(object runtime.Object, o ...RequestOption) *Result {
	c.t.Helper()
	return c.write(rest.Create, object, o)
}

// Update replaces an existing object.
func (c *Cluster) Update(object runtime.Object, o ...RequestOption) *Result {
	c.t.Helper()
	return c.write(rest.Update, object, o)
}

// Delete deletes an existing object.
func (c *Cluster) Delete(object runtime.Object, o ...RequestOption) *Result {
	c.t.Helper()
	return c.write(rest.Delete, object, o)
}

// Get reads an object. Reading does not involve admission.
func (c *Cluster) Get(object runtime.Object) *Result {
	c.t.Helper()
	return c.write(rest.Get, object, nil)
}

// Patch changes an existing object.
func (c *Cluster) Patch(object runtime.Object, kind types.PatchType, patch []byte, o ...RequestOption) *Result {
	c.t.Helper()
	r, err := c.request(rest.Patch, object, o)
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	patchTypes := map[types.PatchType]string{
		types.JSONPatchType: rest.JSONPatch, types.MergePatchType: rest.MergePatch,
		types.StrategicMergePatchType: rest.StrategicPatch, types.ApplyYAMLPatchType: rest.ApplyPatch,
	}
	r.Body, r.PatchType = patch, patchTypes[kind]
	return c.ask(r)
}

// Admit sends a request whose objects an API server has prepared, such as a recorded one, through the chain.
func (c *Cluster) Admit(review *admissionv1.AdmissionRequest) *Result {
	c.t.Helper()
	return c.ask(scenario.Request{Review: review, User: &review.UserInfo})
}

// Review sends the request of an AdmissionReview in JSON, v1 or v1beta1, through the chain. A response in it is
// ignored.
func (c *Cluster) Review(review []byte) *Result {
	c.t.Helper()
	found, err := scenario.Parse("review", review)
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d documents instead of one AdmissionReview", len(found))
	}
	var requests []scenario.Request
	if err == nil {
		requests, err = scenario.Requests(found, rest.Create, scenario.Options{})
	}
	if err == nil && requests[0].Review == nil {
		err = fmt.Errorf("%s instead of an AdmissionReview", found[0])
	}
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	return c.ask(requests[0])
}

// Run sends the requests in files, as `admsim run -f` does: manifests to create, AdmissionReviews, documents of
// kind Request.
func (c *Cluster) Run(paths ...string) []*Result {
	c.t.Helper()
	found, err := scenario.Load(paths, scenario.Options{})
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	requests, err := scenario.Requests(found, rest.Create, scenario.Options{})
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	results := make([]*Result, len(requests))
	for i, r := range requests {
		results[i] = c.ask(r)
	}
	return results
}

func (c *Cluster) write(verb string, object runtime.Object, o []RequestOption) *Result {
	c.t.Helper()
	r, err := c.request(verb, object, o)
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	return c.ask(r)
}

// request is one about an object.
func (c *Cluster) request(verb string, object runtime.Object, options []RequestOption) (scenario.Request, error) {
	q := request{query: url.Values{}}
	for _, o := range options {
		o(&q)
	}
	data, err := encode(object, c.options.Scheme)
	if err != nil {
		return scenario.Request{}, err
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return scenario.Request{}, err
	}
	var kind struct{ APIVersion, Kind string }
	if err := json.Unmarshal(data, &kind); err != nil {
		return scenario.Request{}, err
	}
	r := scenario.Request{
		Verb:        verb,
		Kind:        schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind),
		Subresource: q.subresource,
		Namespace:   m.GetNamespace(),
		Query:       q.query,
		User:        q.user,
	}
	if verb != rest.Create {
		r.Name = m.GetName()
	}
	if verb == rest.Create || verb == rest.Update {
		r.Body = data
	}
	return r, nil
}

// ask has r answered, and the cluster as it left it.
func (c *Cluster) ask(r scenario.Request) *Result {
	c.t.Helper()
	result, err := c.answerTo(r)
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(c.given.explained(err)))
	}
	return result
}

func (c *Cluster) answerTo(r scenario.Request) (*Result, error) {
	ctx := context.WithoutCancel(c.t.Context())
	served, result, err := c.answerAlone(ctx, r)
	if served == nil {
		return result, err
	}
	var asked world.Asked
	var before *simulator.Simulator
	answer, err := served.Store().Ask(ctx, func(sim *simulator.Simulator) (answer *simulator.Result, err error) {
		before = sim
		asked, answer, err = c.answer(ctx, sim, r)
		return answer, err
	})
	if err != nil {
		return nil, err
	}
	return c.shown(asked, answer, before)
}

// answerAlone answers while there are no clients; else it returns what they are served by.
func (c *Cluster) answerAlone(ctx context.Context, r scenario.Request) (*serving.Cluster, *Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.served != nil {
		return c.served, nil, nil
	}
	asked, answer, err := c.answer(ctx, c.sim, r)
	if err != nil {
		return nil, nil, err
	}
	before := c.sim
	c.sim = answer.Next
	result, err := c.shown(asked, answer, before)
	return nil, result, err
}

func (c *Cluster) answer(ctx context.Context, sim *simulator.Simulator, r scenario.Request) (asked world.Asked, answer *simulator.Result, err error) {
	if asked, err = c.world.Ask(sim, r, scenario.Defaults{User: c.options.User}); err != nil {
		return asked, nil, err
	}
	answer, err = asked.Answer(ctx)
	return asked, answer, err
}

func (c *Cluster) shown(asked world.Asked, answered *simulator.Result, before *simulator.Simulator) (*Result, error) {
	shown, err := answer.Usual(asked, answered, nil)
	if err != nil {
		return nil, fmt.Errorf("showing the answer: %w", err)
	}
	return &Result{Result: shown.Result, t: c.t, scheme: c.options.Scheme, found: before, left: answered.Next}, nil
}

// For returns a copy of the cluster in its current state, for a subtest. Requests to the copy do not change c.
func (c *Cluster) For(t testing.TB) *Cluster {
	of := &Cluster{t: t, options: c.options, world: c.world, given: c.given, sim: c.now()}
	t.Cleanup(func() { c.given.meet(of.now()) })
	return of
}
