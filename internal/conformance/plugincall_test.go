package conformance

import (
	"encoding/json"
	"strings"
	"testing"

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
				Name: "CertificateApproval", Phase: trace.Validating, User: authenticationv1.UserInfo{Username: "ann"},
				OldObject: json.RawMessage(request), Answers: known,
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
