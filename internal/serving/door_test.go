package serving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A reader is a webhook's program that reads and writes the cluster during calls.
type reader struct {
	door *Door
	t    *testing.T

	reads func(dispatch.Call) bool // whether it reads the cluster in a call

	mu   sync.Mutex
	seen []string
}

func (r *reader) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	return r.door.Call(ctx, c, func(ctx context.Context) dispatch.Reply {
		request := c.Review.Request
		if r.reads == nil || r.reads(c) {
			found, code := r.look(request.Namespace), 0
			if request.Kind.Kind == "ConfigMap" {
				code = r.note(request.Namespace, request.Name)
			}
			r.mu.Lock()
			r.seen = append(r.seen, fmt.Sprintf("%s/%s: %d there, noted with %d", request.Namespace, request.Name, found, code))
			r.mu.Unlock()
		}
		return dispatch.Reply{Body: fmt.Appendf(nil, `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": %q, "allowed": true}}`, c.UID)}
	})
}

func (r *reader) ask(method, path, body string, into any) int {
	req := (&http.Request{Method: method, URL: &url.URL{Scheme: "https", Host: "cluster", Path: path}, Header: http.Header{
		"Authorization": {"Bearer " + r.door.token}, "Content-Type": {"application/json"}}}).WithContext(context.Background())
	if body != "" {
		req.Body = readCloser{strings.NewReader(body)}
	}
	answer, err := transport{portHandler{r.door}}.RoundTrip(req)
	if err != nil {
		r.t.Error(err)
		return 0
	}
	defer answer.Body.Close()
	if into != nil {
		_ = json.NewDecoder(answer.Body).Decode(into)
	}
	return answer.StatusCode
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// look counts the ConfigMaps of a namespace.
func (r *reader) look(namespace string) int {
	var list struct{ Items []any }
	r.ask(http.MethodGet, "/api/v1/namespaces/"+namespace+"/configmaps", "", &list)
	return len(list.Items)
}

// note writes a Secret, for which the program is called itself.
func (r *reader) note(namespace, name string) int {
	return r.ask(http.MethodPost, "/api/v1/namespaces/"+namespace+"/secrets", `{"metadata": {"name": "about-`+name+`"}}`, nil)
}

// begin returns the simulator of a cluster with a webhook of each type, which the reader answers.
func (r *reader) begin(t *testing.T, reads bool) *simulator.Simulator {
	t.Helper()
	r.t, r.door = t, NewDoor(func(err error) { t.Error(err) })
	t.Cleanup(r.door.Close)
	client := admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "shop", Name: "reader"}}
	sim, err := simulator.New(simulator.Options{Backends: func(string, string) dispatch.Backend { return r }, NewUID: simulator.CountUIDs()})
	if err != nil {
		t.Fatal(err)
	}
	hooks := schema.GroupVersion{Group: admissionregistrationv1.GroupName, Version: "v1"}
	webhook := `"metadata": {"name": "reads"}, "webhooks": [{
		"name": "reads.shop.example", "sideEffects": "None", "admissionReviewVersions": ["v1"],
		"clientConfig": {"service": {"namespace": "shop", "name": "reader"}},
		"rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps", "secrets"]}]}]}`
	for body, resource := range map[string]schema.GroupVersionResource{
		`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}`:                                {Version: "v1", Resource: "namespaces"},
		`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", ` + webhook:   hooks.WithResource("mutatingwebhookconfigurations"),
		`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", ` + webhook: hooks.WithResource("validatingwebhookconfigurations"),
	} {
		result, err := sim.Do(t.Context(), rest.Request{Verb: rest.Create, Resource: resource, Body: []byte(body), User: admission.Administrator()})
		if err != nil || result.Code != http.StatusCreated {
			t.Fatalf("%v, %v", result, err)
		}
		sim = result.Next
	}
	if _, _, err := r.door.Open(dispatch.Call{Client: client, From: &dispatch.From{
		State: sim.State(), At: func(s *cluster.State) (dispatch.Cluster, error) { return sim.With(s) },
	}}, reads); err != nil {
		t.Fatal(err)
	}
	return sim
}

func create(t *testing.T, sim *simulator.Simulator, name string) (*simulator.Result, error) {
	t.Helper()
	return sim.Do(t.Context(), rest.Request{
		Verb: rest.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: "shop",
		Body: fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": %q}}`, name), User: admission.Administrator(),
	})
}

// Many requests run concurrently, in clusters of their own with the same initial state. In each call, the program sees
// the cluster that calls it, including what it wrote in the previous call, and nothing of other clusters. The requests
// that it sends during a call result in calls, too, and are answered.
func TestDoorShowsTheClusterThatAsks(t *testing.T) {
	r := &reader{}
	sim := r.begin(t, false)
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			next := sim
			for i := range 4 {
				result, err := create(t, next, fmt.Sprintf("map-%d", i))
				if err != nil || result.Code != http.StatusCreated {
					t.Errorf("%v, %v", err, result)
					return
				}
				next = result.Next
			}
			for i := range 4 {
				if _, ok := next.State().Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Secret"}, Namespace: "shop", Name: fmt.Sprintf("about-map-%d", i)}); !ok {
					t.Errorf("what was written about map-%d is lost", i)
				}
			}
		})
	}
	running.Wait()
	count := map[string]int{}
	for _, seen := range r.seen {
		count[seen]++
	}
	for i := range 4 {
		// Called by the mutating webhook first. The validating one sees what that wrote.
		for _, seen := range []string{fmt.Sprintf("shop/map-%d: %d there, noted with 201", i, i), fmt.Sprintf("shop/map-%d: %d there, noted with 409", i, i)} {
			if count[seen] != 8 {
				t.Errorf("%d times, want 8: %s", count[seen], seen)
			}
		}
		// And both are called for the Secret.
		if about := fmt.Sprintf("shop/about-map-%d: %d there, noted with 0", i, i); count[about] < 16 {
			t.Errorf("%d times, want 16 or more: %s", count[about], about)
		}
	}
}

// A program sees what it created before its first call in every cluster, as it last wrote it. The clusters themselves
// do not have it.
func TestDoorKeepsWhatAProgramHasForItself(t *testing.T) {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/shop/leases"
	lease := func(holder, version string) string {
		return fmt.Sprintf(`{"metadata": {"name": "leader", "resourceVersion": %q}, "spec": {"holderIdentity": %q}}`, version, holder)
	}
	var got struct {
		Metadata struct{ ResourceVersion string }
		Spec     struct{ HolderIdentity string }
	}
	r := &reader{reads: func(dispatch.Call) bool { return false }}
	sim := r.begin(t, true)
	if code := r.ask(http.MethodPost, leases, lease("start", ""), nil); code != http.StatusCreated {
		t.Fatal(code)
	}
	var found []string
	r.reads = func(c dispatch.Call) bool {
		code := r.ask(http.MethodGet, leases+"/leader", "", &got)
		found = append(found, fmt.Sprint(c.Review.Request.Name, " ", code, " ", got.Spec.HolderIdentity))
		return false
	}
	for _, name := range []string{"a", "b"} {
		result, err := create(t, sim, name)
		if err != nil || result.Code != http.StatusCreated {
			t.Fatal(result, err)
		}
		if _, found := result.Next.State().Find(cluster.Key{GroupKind: schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"}, Namespace: "shop", Name: "leader"}); found {
			t.Error("the lease is in the cluster of the request")
		}
		if code := r.ask(http.MethodPut, leases+"/leader", lease("after "+name, got.Metadata.ResourceVersion), nil); code != http.StatusOK {
			t.Error(code)
		}
	}
	want := []string{"a 200 start", "a 200 start", "b 200 after a", "b 200 after a"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// A program also sees what it wrote into objects of the cluster, unless the calling cluster has another object there.
func TestDoorKeepsWhatAProgramWroteIntoObjects(t *testing.T) {
	r := &reader{reads: func(dispatch.Call) bool { return false }}
	sim := r.begin(t, true)
	namespace := func(label string) string {
		return `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"from": "` + label + `"}}}`
	}
	if code := r.ask(http.MethodPut, "/api/v1/namespaces/shop", namespace("program"), nil); code != http.StatusOK {
		t.Fatal(code)
	}
	var found []string
	r.reads = func(c dispatch.Call) bool {
		var got struct {
			Metadata struct{ Labels map[string]string }
		}
		r.ask(http.MethodGet, "/api/v1/namespaces/shop", "", &got)
		found = append(found, c.Review.Request.Name+" "+got.Metadata.Labels["from"])
		return false
	}
	changed, err := sim.Do(t.Context(), rest.Request{
		Verb: rest.Update, Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: "shop",
		Body: []byte(namespace("request")), User: admission.Administrator(),
	})
	if err != nil || changed.Code != http.StatusOK {
		t.Fatal(changed, err)
	}
	for _, one := range []struct {
		name string
		sim  *simulator.Simulator
	}{{"as-it-was", sim}, {"changed", changed.Next}, {"again", sim}} {
		if result, err := create(t, one.sim, one.name); err != nil || result.Code != http.StatusCreated {
			t.Fatal(result, err)
		}
		if code := r.ask(http.MethodPut, "/api/v1/namespaces/shop", namespace("after-"+one.name), nil); code != http.StatusOK {
			t.Fatal(code)
		}
	}
	want := []string{"as-it-was program", "as-it-was program", "changed request", "changed request", "again after-as-it-was", "again after-as-it-was"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// Before its first call a program gets time to write what is awaited. Calls for its own requests do not wait for that.
func TestDoorAwaits(t *testing.T) {
	r := &reader{reads: func(dispatch.Call) bool { return false }}
	sim := r.begin(t, true)
	outside := dispatch.Call{From: &dispatch.From{State: sim.State()}}
	inside := dispatch.Call{From: &dispatch.From{State: sim.State().Remembering(doorsOpen, []*Door{r.door})}}
	node := func(status string) string {
		return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"conditions": [` + status + `]}}`
	}
	if code := r.ask(http.MethodPost, "/api/v1/nodes", node(""), nil); code != http.StatusCreated {
		t.Fatal(code)
	}
	await := func(c dispatch.Call, resource string, limit time.Duration) string {
		if err := r.door.Await(t.Context(), c, map[string]string{resource: "Ready"}, limit); err != nil {
			return err.Error()
		}
		return ""
	}
	for _, step := range []struct{ reason, status, resource, want string }{
		{"nothing is said", "", "nodes", `Node "a" is not Ready yet`},
		{"no such resource", "", "nods", `did you mean`},
		{"it says why not", `{"type": "Ready", "status": "False", "message": "no network"}`, "nodes", `Node "a" is not Ready: no network`},
		{"it is ready", `{"type": "Ready", "status": "True"}`, "nodes", ""},
		{"nobody waits twice", `{"type": "Ready", "status": "False"}`, "nodes", ""},
	} {
		if step.status != "" {
			if code := r.ask(http.MethodPut, "/api/v1/nodes/a/status", node(step.status), nil); code != http.StatusOK {
				t.Fatal(step.reason, code)
			}
		}
		limit := time.Minute // enough on a busy machine
		if step.want != "" {
			limit = settling
		}
		if got := await(inside, step.resource, limit); got != "" {
			t.Errorf("%s: a call about the program's own request: %s", step.reason, got)
		}
		if got := await(outside, step.resource, limit); !strings.Contains(got, step.want) || (got == "") != (step.want == "") {
			t.Errorf("%s: %q, want %q", step.reason, got, step.want)
		}
	}
}

// A program that has not read the cluster for a long time is called concurrently. If it then reads it during calls from
// several clusters, the calls have no answer, and there is a hint.
func TestDoorOfALateReader(t *testing.T) {
	r := &reader{}
	asked := make(chan struct{}, 2)
	both := make(chan struct{})
	r.reads = func(c dispatch.Call) bool {
		if c.Review.Request.Name != "late" {
			return false
		}
		asked <- struct{}{}
		<-both
		return true
	}
	sim := r.begin(t, false)
	for range probation {
		if result, err := create(t, sim, "early"); err != nil || result.Code != http.StatusCreated {
			t.Fatal(result, err)
		}
	}
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := create(t, sim, "late")
			errs <- err
		}()
	}
	for range 2 {
		<-asked
	}
	close(both)
	for range 2 {
		err := <-errs
		if unknown := (*dispatch.NoAnswerError)(nil); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "while it is asked about several") {
			t.Errorf("%v", err)
		}
	}
}

// Requests without the token are anonymous.
func TestDoorAsksForTheToken(t *testing.T) {
	r := &reader{}
	r.begin(t, true)
	if code := r.ask(http.MethodGet, "/api/v1/namespaces/shop/configmaps", "", nil); code != http.StatusOK {
		t.Errorf("with the token: %d", code)
	}
	r.door.token += "x"
	for _, header := range []string{"Bearer another", ""} {
		answer, err := transport{portHandler{r.door}}.RoundTrip(&http.Request{
			Method: http.MethodGet, URL: &url.URL{Scheme: "https", Host: "cluster", Path: "/api/v1/namespaces/shop/configmaps"}, Header: http.Header{"Authorization": {header}},
		})
		if err != nil || answer.StatusCode != http.StatusUnauthorized && answer.StatusCode != http.StatusForbidden {
			t.Errorf("%q: %v, %v", header, answer.StatusCode, err)
		}
	}
}
