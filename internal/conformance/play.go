package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Outcome is one request, played.
type Outcome struct {
	Recording *Recording
	Request   *Request
	Diff      string // how the answer differs; empty where it agrees
	Trace     string // the steps that led there
}

// Name is the recording's and the request's id.
func (o Outcome) Name() string { return o.Recording.ID + "/" + o.Request.ID }

// Agrees tells whether admsim did what the server did.
func (o Outcome) Agrees() bool { return o.Diff == "" }

// Play plays the requests of a recording in their order, its webhooks being mocks.
func Play(ctx context.Context, r *Recording) []Outcome {
	backends, err := backendsOf(r)
	return play(ctx, r, webhooks{backends: backends, clientConfig: mockedAt(r)}, err)
}

// webhooks are those of a recording, as they are played.
type webhooks struct {
	backends func(configuration, webhook string) dispatch.Backend
	// clientConfig is what a webhook's configuration says, or would if it were called.
	clientConfig func(phase, webhook string) map[string]any
}

func play(ctx context.Context, r *Recording, w webhooks, err error) []Outcome {
	outcomes := make([]Outcome, len(r.Requests))
	var sim *simulator.Simulator
	if err == nil {
		sim, err = world(ctx, r, w)
	}
	for i := range r.Requests {
		o := &outcomes[i]
		o.Recording, o.Request = r, &r.Requests[i]
		if err != nil {
			o.Diff = fmt.Sprintf("setting up: %v\n", err)
			continue
		}
		sim = o.play(ctx, sim)
	}
	return outcomes
}

func (o *Outcome) play(ctx context.Context, sim *simulator.Simulator) (next *simulator.Simulator) {
	defer func() {
		if p := recover(); p != nil {
			o.Diff, next = fmt.Sprintf("panic: %v\n", p), sim
		}
	}()
	req, err := o.Request.request(sim)
	if err != nil {
		o.Diff = fmt.Sprintf("the request: %v\n", err)
		return sim
	}
	result, err := sim.Do(ctx, req)
	if err != nil {
		o.Diff = fmt.Sprintf("admsim: %v\n", err)
		return sim
	}
	got, err := observed(sim.Types(), result, o.Recording)
	if err != nil {
		o.Diff = fmt.Sprintf("the answer: %v\n", err)
		return result.Next
	}
	o.Diff = compare(o.Recording, o.Request, got)
	if o.Diff != "" {
		o.Trace = stepsOf(result)
	}
	if next, err = settled(o.Recording, result.Next); err != nil {
		o.Diff += fmt.Sprintf("afterwards: %v\n", err)
		return result.Next
	}
	return next
}

// typeChecking is the profile of servers beside which a controller checks the types in policies.
const typeChecking = "vap-status-controller"

// settled is the cluster as what ran beside the server leaves it before the next request.
func settled(r *Recording, sim *simulator.Simulator) (*simulator.Simulator, error) {
	if r.Profile != typeChecking {
		return sim, nil
	}
	return sim.CheckPolicies()
}

// world is the cluster that the first request finds.
func world(ctx context.Context, r *Recording, w webhooks) (*simulator.Simulator, error) {
	started, err := profileOf(r)
	if err != nil {
		return nil, err
	}
	sim, err := simulator.New(simulator.Options{
		Release:  started.release,
		Plugins:  started.plugins,
		State:    simulator.Bootstrap(),
		Backends: w.backends,
		Explain:  true,
	})
	if err != nil {
		return nil, err
	}
	// Definitions first: the other objects may be of the kinds that they define.
	for _, definitions := range []bool{true, false} {
		if sim, err = exist(sim, r.Cluster, definitions); err != nil {
			return nil, err
		}
	}
	for _, raw := range r.Configs {
		if sim, err = create(ctx, sim, w, raw); err != nil {
			return nil, err
		}
	}
	return settled(r, sim)
}

// exist puts objects into the cluster as they are.
func exist(sim *simulator.Simulator, objects []json.RawMessage, definitions bool) (*simulator.Simulator, error) {
	state := sim.State()
	for i, raw := range objects {
		object, err := sim.Stored(raw)
		_, defines := object.(*apiextensionsv1.CustomResourceDefinition)
		if !definitions && err != nil {
			return nil, err
		}
		if err != nil || defines != definitions {
			continue
		}
		m, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		// Recordings have one uid and version for all; the server had one for each.
		m.SetUID(types.UID(fmt.Sprintf("11111111-1111-4111-8111-%012d", i)))
		m.SetResourceVersion(fmt.Sprint(1000 + i))
		state = state.With(cluster.Object{Object: object})
	}
	return sim.With(state)
}

// create creates a configuration as an administrator.
func create(ctx context.Context, sim *simulator.Simulator, w webhooks, raw json.RawMessage) (*simulator.Simulator, error) {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	fillClientConfigs(u, w)
	body, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	resource, ok := sim.Resources().ForKind(u.GroupVersionKind())
	if !ok {
		return nil, fmt.Errorf("%s is not served", u.GroupVersionKind())
	}
	result, err := sim.Do(ctx, rest.Request{
		Verb:      rest.Create,
		Resource:  resource.GroupVersionResource,
		Namespace: u.GetNamespace(),
		Body:      body,
		User:      oracle,
	})
	if err != nil {
		return nil, err
	}
	if result.Code != 201 {
		return nil, fmt.Errorf("creating %s %s: %s", u.GetKind(), u.GetName(), result.Status().Message)
	}
	return result.Next, nil
}

// fillClientConfigs gives the webhooks that the recorder placed their places.
func fillClientConfigs(u *unstructured.Unstructured, w webhooks) {
	phase := "validating"
	switch u.GetKind() {
	case "MutatingWebhookConfiguration":
		phase = "mutating"
	case "ValidatingWebhookConfiguration":
	default:
		return
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "webhooks")
	for _, item := range list {
		if webhook, ok := item.(map[string]any); ok && webhook["clientConfig"] == nil {
			webhook["clientConfig"] = w.clientConfig(phase, fmt.Sprintf("%s/%s", u.GetName(), webhook["name"]))
		}
	}
	if list != nil {
		u.Object["webhooks"] = list
	}
}

// mockedAt returns the URLs that the recorder gave to webhooks.
func mockedAt(r *Recording) func(phase, webhook string) map[string]any {
	return func(phase, webhook string) map[string]any {
		host := "127.0.0.1:9443"
		if slices.ContainsFunc(r.Webhooks[webhook], refuses) {
			host = "127.0.0.1:1"
		}
		return map[string]any{"url": fmt.Sprintf("https://%s/%s/%s", host, phase, webhook)}
	}
}

func refuses(answer json.RawMessage) bool { return faultOf(answer) == dispatch.Refuse }

func faultOf(answer json.RawMessage) dispatch.Fault {
	var a struct{ Fault dispatch.Fault }
	_ = json.Unmarshal(answer, &a) // checked when the mock was made
	return a.Fault
}

// backendsOf makes mocks of the recorded answers. A webhook without one allows everything.
func backendsOf(r *Recording) (func(configuration, webhook string) dispatch.Backend, error) {
	mocks := map[string]*dispatch.Mock{}
	for name, raw := range r.Webhooks {
		answers := make([]dispatch.Answer, len(raw))
		for i := range raw {
			if err := json.Unmarshal(raw[i], &answers[i]); err != nil {
				return nil, fmt.Errorf("answer %d of %s: %w", i, name, err)
			}
		}
		var err error
		if mocks[name], err = dispatch.NewMock(nil, answers...); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	allows, err := dispatch.NewMock(nil)
	return func(configuration, webhook string) dispatch.Backend {
		if m, ok := mocks[backendName(configuration, webhook)]; ok {
			return m
		}
		return allows
	}, err
}

// backendName is what recordings call a webhook, or a callback of no configuration.
func backendName(configuration, webhook string) string {
	if configuration == "" {
		return webhook
	}
	return configuration + "/" + webhook
}

// oracle is who sent the recorded requests that do not say who did.
var oracle = authenticationv1.UserInfo{Username: "oracle", Groups: []string{"system:masters", "system:authenticated"}}

// request is the request as sent to the cluster of sim.
func (r *Request) request(sim *simulator.Simulator) (rest.Request, error) {
	query, err := url.ParseQuery(r.Query)
	if err != nil {
		return rest.Request{}, err
	}
	body, err := r.body(sim)
	if err != nil {
		return rest.Request{}, err
	}
	sender := oracle
	if r.User != "" {
		sender = authenticationv1.UserInfo{Username: r.User, Groups: authenticated(r.Groups)}
	}
	return rest.Request{
		Verb:        r.Verb,
		Resource:    schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource},
		Subresource: r.Subresource,
		Namespace:   r.Namespace,
		Name:        r.Name,
		Body:        body,
		PatchType:   r.PatchType,
		Query:       query,
		User:        sender,
	}, nil
}

// authenticated are the groups of a user whose own are given.
func authenticated(groups []string) []string {
	if slices.Contains(groups, user.AllAuthenticated) || slices.Contains(groups, user.AllUnauthenticated) {
		return groups
	}
	return append(slices.Clone(groups), user.AllAuthenticated)
}

var uidOf = regexp.MustCompile(`"\$uid:([^"]+)"`)

// body is the object with what stands for uids and versions filled in.
func (r *Request) body(sim *simulator.Simulator) ([]byte, error) {
	if string(r.Object) == "null" || len(r.Object) == 0 {
		return nil, nil
	}
	text := string(r.Object)
	var problem error
	text = uidOf.ReplaceAllStringFunc(text, func(match string) string {
		m, err := find(sim, uidOf.FindStringSubmatch(match)[1])
		if err != nil {
			problem = err
			return match
		}
		return fmt.Sprintf("%q", m.GetUID())
	})
	if problem == nil && strings.Contains(text, `"$resourceVersion"`) {
		version := ""
		if target, ok := r.target(sim); ok {
			version = target.GetResourceVersion()
		}
		text = strings.ReplaceAll(text, `"$resourceVersion"`, fmt.Sprintf("%q", version))
	}
	if problem == nil && strings.Contains(text, steady.UID) {
		return r.withUIDs(sim, []byte(text))
	}
	return []byte(text), problem
}

// target is the object that the URL names, as the cluster has it.
func (r *Request) target(sim *simulator.Simulator) (metav1.Object, bool) {
	resource, _ := sim.Resources().Resource(schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource})
	key := cluster.Key{GroupKind: resource.Storage.GroupKind(), Name: r.Name}
	if resource.Namespaced {
		key.Namespace = r.Namespace
	}
	object, ok := sim.State().Find(key)
	if !ok {
		return nil, false
	}
	m, err := meta.Accessor(object.Object)
	return m, err == nil
}

// withUIDs is the body with the uids that the recorder wrote over put back: where it refers
// to an object of the cluster by kind and name, that object's, and in preconditions that of
// the object that the URL names.
func (r *Request) withUIDs(sim *simulator.Simulator, body []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object any
	if err := decoder.Decode(&object); err != nil {
		return body, nil // not a body that refers to anything
	}
	r.putUIDs(sim, object)
	return json.Marshal(object)
}

func (r *Request) putUIDs(sim *simulator.Simulator, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			r.putUIDs(sim, item)
		}
	case map[string]any:
		for _, member := range v {
			r.putUIDs(sim, member)
		}
		if conditions, ok := v["preconditions"].(map[string]any); ok && conditions["uid"] == steady.UID {
			if m, ok := r.target(sim); ok {
				conditions["uid"] = m.GetUID()
			}
		}
		if v["uid"] != steady.UID || v["kind"] == nil || v["name"] == nil {
			return
		}
		for _, path := range []string{fmt.Sprintf("%s/%s/%s", v["kind"], r.Namespace, v["name"]), fmt.Sprintf("%s//%s", v["kind"], v["name"])} {
			if m, err := find(sim, path); err == nil {
				v["uid"] = m.GetUID()
				return
			}
		}
	}
}

// find returns the object that a recording names as Kind/namespace/name or Kind/name.
func find(sim *simulator.Simulator, path string) (m interface{ GetUID() types.UID }, err error) {
	words := strings.Split(path, "/")
	for object := range sim.State().All() {
		if cluster.KeyOf(object.Object).Kind != words[0] {
			continue
		}
		k := cluster.KeyOf(object.Object)
		if k.Name == words[len(words)-1] && (len(words) == 2 || k.Namespace == words[1]) {
			return meta.Accessor(object.Object)
		}
	}
	return nil, fmt.Errorf("there is no %s", path)
}
