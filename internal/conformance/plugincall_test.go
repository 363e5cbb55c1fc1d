package conformance

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/conformance/plugincall"
	"github.com/admsim/admsim/pkg/trace"
)

// selected returns a call of PodNodeSelector, whose namespace has the node selector zone=a, for a pod with another one,
// if any. The pod is incomplete, as in upstream's tests.
func selected(own string, expect map[string]any) Recording {
	return Recording{
		ID: "plugin-podnodeselector-1", Kubernetes: "1.37",
		Cluster: []json.RawMessage{json.RawMessage(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`)},
		Plugin: &plugincall.Call{
			Name: "PodNodeSelector", Phase: trace.Mutating,
			Configuration: json.RawMessage(`{"podNodeSelectorPluginConfig":{"shop":"zone=a","clusterDefaultNodeSelector":"zone=a"}}`),
		},
		Requests: []Request{{
			ID: "1", Verb: "create", Version: "v1", Resource: "pods", Namespace: "shop", Name: "web", Expect: expect,
			Object: json.RawMessage(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"nodeSelector":{` + own + `},"containers":null}}`),
		}},
	}
}

func played(t *testing.T, r Recording) Outcome {
	t.Helper()
	outcomes := PlayAll(t.Context(), []Recording{r})
	if len(outcomes) != 1 {
		t.Fatalf("%d outcomes, want 1", len(outcomes))
	}
	return outcomes[0]
}

// A plugin is asked alone about an object that no server would accept. What it does to the object is compared.
func TestPluginCall(t *testing.T) {
	object := map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web", "creationTimestamp": nil},
		"spec": map[string]any{"containers": nil, "nodeSelector": map[string]any{"zone": "a"}},
	}
	if o := played(t, selected("", map[string]any{"object": object})); !o.Agrees() {
		t.Errorf("the plugin differs:\n%s", o.Diff)
	}
	if o := played(t, selected("", map[string]any{})); !strings.Contains(o.Diff, "+ object") {
		t.Errorf("a change is not noticed:\n%s", o.Diff)
	}
	conflict := map[string]any{"code": 403.0, "body": map[string]any{}}
	if o := played(t, selected(`"zone":"b"`, conflict)); !strings.Contains(o.Diff, `+ body.message: "pods \"web\" is forbidden`) {
		t.Errorf("another refusal is not noticed:\n%s", o.Diff)
	}
}

// A plugin gets the recorded answers of the authorizer, and has to ask the same questions.
func TestPluginQuestions(t *testing.T) {
	asked := plugincall.Question{User: "ann", Verb: "approve", Group: "certificates.k8s.io", Resource: "signers", Name: "example.com/a", Decision: plugincall.Allows}
	approval := func(known ...plugincall.Question) Recording {
		request := `{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"a"},"spec":{"request":null,"signerName":"example.com/a","usages":null}}`
		return Recording{
			ID: "plugin-certificateapproval-1", Kubernetes: "1.37",
			Plugin: &plugincall.Call{
				Name: "CertificateApproval", Phase: trace.Validating,
				Moment: plugincall.Moment{User: authenticationv1.UserInfo{Username: "ann"}, OldObject: json.RawMessage(request), Answers: known},
			},
			Requests: []Request{{
				ID: "1", Verb: "update", Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests",
				Subresource: "approval", Name: "a", Object: json.RawMessage(request), Expect: map[string]any{},
			}},
		}
	}
	if o := played(t, approval(asked)); !o.Agrees() {
		t.Errorf("the plugin differs:\n%s", o.Diff)
	}
	if o := played(t, approval()); !strings.Contains(o.Diff, "+ asked") {
		t.Errorf("a question is not noticed:\n%s", o.Diff)
	}
	more := asked
	more.Verb = "sign"
	if o := played(t, approval(asked, more)); !strings.Contains(o.Diff, "+ not asked") {
		t.Errorf("a question that was not asked is not noticed:\n%s", o.Diff)
	}
}

// A plugin that remembers is asked about several requests, one after the other, on a clock of its own.
func TestPluginSequence(t *testing.T) {
	limited := map[string]any{
		"code": 429.0, "body": map[string]any{
			"status": "Failure", "reason": "TooManyRequests", "code": 429.0, "metadata": map[string]any{},
			"message": "Too many requests: limit reached on type Server for key ",
		},
	}
	event := func(id string, expect map[string]any) Request {
		return Request{
			ID: id, Verb: "create", Version: "v1", Resource: "events", Namespace: "shop", Name: "e", Expect: expect,
			Object: json.RawMessage(`{"apiVersion":"v1","kind":"Event","metadata":{},"involvedObject":{}}`),
		}
	}
	recording := Recording{
		ID: "plugin-eventratelimit-1", Kubernetes: "1.37",
		Plugin: &plugincall.Call{
			Name: "EventRateLimit", Phase: trace.Validating,
			Configuration: json.RawMessage(`{"apiVersion":"eventratelimit.admission.k8s.io/v1alpha1","kind":"Configuration","limits":[{"type":"Server","qps":1,"burst":1}]}`),
			Later:         []plugincall.Moment{{After: time.Millisecond}, {After: 2 * time.Second}},
		},
		Requests: []Request{event("1", map[string]any{}), event("2", limited), event("3", map[string]any{})},
	}
	for _, o := range PlayAll(t.Context(), []Recording{recording}) {
		if !o.Agrees() {
			t.Errorf("request %s differs:\n%s", o.Request.ID, o.Diff)
		}
	}
	recording.Requests = append(recording.Requests, event("4", map[string]any{}))
	if all := PlayAll(t.Context(), []Recording{recording}); !strings.Contains(all[3].Diff, "fewer requests") {
		t.Errorf("a request without a moment is not noticed: %s", all[3].Diff)
	}
}

// A plugin gets the recorded answers of the service that it calls, and has to send it the same.
func TestPluginExchanges(t *testing.T) {
	review := func(image, answer string) plugincall.Exchange {
		return plugincall.Exchange{
			Asked: json.RawMessage(`{"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v1alpha1","metadata":{},` +
				`"spec":{"containers":[{"image":"` + image + `"}],"namespace":"shop"},"status":{"allowed":false}}`),
			Code: 200, Type: "application/json", Answer: answer,
		}
	}
	asking := func(known ...plugincall.Exchange) Recording {
		return Recording{
			ID: "plugin-imagepolicywebhook-1", Kubernetes: "1.37",
			Plugin: &plugincall.Call{
				Name: "ImagePolicyWebhook", Phase: trace.Validating, Moment: plugincall.Moment{Exchanges: known},
				Configuration: json.RawMessage(`{"imagePolicy":{"kubeConfigFile":"kubeconfig","kubeConfig":{"current-context":"images",` +
					`"contexts":[{"name":"images","context":{"cluster":"images"}}],"clusters":[{"name":"images","cluster":{"server":"https://images.example.com"}}]}}}`),
			},
			Requests: []Request{{
				ID: "1", Verb: "create", Version: "v1", Resource: "pods", Namespace: "shop", Name: "web", Expect: map[string]any{},
				Object: json.RawMessage(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"c","image":"nginx"}]}}`),
			}},
		}
	}
	const allowed = `{"apiVersion":"imagepolicy.k8s.io/v1alpha1","kind":"ImageReview","status":{"allowed":true}}`
	if o := played(t, asking(review("nginx", allowed))); !o.Agrees() {
		t.Errorf("the plugin differs:\n%s", o.Diff)
	}
	if o := played(t, asking(review("nginx", strings.Replace(allowed, "true", "false", 1)))); !strings.Contains(o.Diff, "one or more images rejected") {
		t.Errorf("the answer is not the recorded one:\n%s", o.Diff)
	}
	if o := played(t, asking(review("busybox", allowed))); !strings.Contains(o.Diff, "+ sent") || !strings.Contains(o.Diff, "+ not sent") {
		t.Errorf("another request is not noticed:\n%s", o.Diff)
	}
}

// What a plugin writes into the cluster is compared.
func TestPluginWrites(t *testing.T) {
	namespace := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "shop"}, "spec": map[string]any{}, "status": map[string]any{}}
	provision := func(expect map[string]any) Recording {
		return Recording{
			ID: "plugin-namespaceautoprovision-1", Kubernetes: "1.37",
			Plugin: &plugincall.Call{Name: "NamespaceAutoProvision", Phase: trace.Mutating},
			Requests: []Request{{
				ID: "1", Verb: "create", Version: "v1", Resource: "pods", Namespace: "shop", Name: "web", Expect: expect,
				Object: json.RawMessage(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":null}}`),
			}},
		}
	}
	if o := played(t, provision(map[string]any{"writes": []any{namespace}})); !o.Agrees() {
		t.Errorf("the plugin differs:\n%s", o.Diff)
	}
	if o := played(t, provision(map[string]any{})); !strings.Contains(o.Diff, "+ writes") {
		t.Errorf("a write is not noticed:\n%s", o.Diff)
	}
}

// Calls of plugins have a table of their own.
func TestPluginTable(t *testing.T) {
	call := Outcome{Recording: &Recording{Kubernetes: "1.37", Plugin: &plugincall.Call{Name: "Quiet"}}, Request: &Request{}}
	request := Outcome{Recording: &Recording{Kubernetes: "1.37"}, Request: &Request{Group: "apps"}}
	all := []Outcome{call, request}
	tables := map[string]string{"Quiet": PluginTable(all), "apps": GroupTable(all)}
	for row, table := range tables {
		if strings.Count(table, "| 1 |") != 2 || !strings.Contains(table, "| "+row+" | 1 |") {
			t.Errorf("the table has more or less than %s:\n%s", row, table)
		}
	}
}

// A panic while a plugin is created is the outcome of its recording, and does not end the others.
func TestPluginPanics(t *testing.T) {
	recording := Recording{ID: "plugin-none", Requests: []Request{{ID: "1"}, {ID: "2"}}} // without a plugin
	outcomes := playPlugin(t.Context(), &recording)
	if len(outcomes) != 2 {
		t.Fatalf("%d outcomes, want 2", len(outcomes))
	}
	for _, o := range outcomes {
		if o.Agrees() || !strings.Contains(o.Diff, "setting up: panic:") {
			t.Errorf("%s: %q", o.Name(), o.Diff)
		}
	}
}
