package answer_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/rest"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	admin      = authenticationv1.UserInfo{Username: "admin", Groups: []string{"system:masters"}}
)

// A request has the names that it gives, wherever it gives them.
func TestRequest(t *testing.T) {
	resource := metav1.GroupVersionResource(configMaps)
	for _, tt := range []struct {
		reason string
		asked  world.Asked
		want   report.Request
	}{
		{"its path", world.Asked{API: rest.Request{Verb: rest.Get, Resource: configMaps, Subresource: "status", Namespace: "shop", Name: "c", User: admin}},
			report.Request{Verb: "get", Resource: resource, Subresource: "status", Namespace: "shop", Name: "c", User: admin}},
		{"its body", world.Asked{API: rest.Request{Verb: rest.Create, Resource: configMaps, Body: []byte(`{"metadata":{"name":"c"}}`)}},
			report.Request{Verb: "create", Resource: resource, Name: "c"}},
		{"the path comes first", world.Asked{API: rest.Request{Verb: rest.Update, Resource: configMaps, Name: "c", Body: []byte(`{"metadata":{"name":"d"}}`)}},
			report.Request{Verb: "update", Resource: resource, Name: "c"}},
		{"a name that the server completes", world.Asked{API: rest.Request{Verb: rest.Create, Resource: configMaps, Body: []byte(`{"metadata":{"generateName":"c-"}}`)}},
			report.Request{Verb: "create", Resource: resource, Name: "c-*"}},
		{"a body that is no object", world.Asked{API: rest.Request{Verb: rest.Patch, Resource: configMaps, Body: []byte(`[]`)}},
			report.Request{Verb: "patch", Resource: resource}},
		{"a dry run", world.Asked{API: rest.Request{Verb: rest.Delete, Resource: configMaps, Name: "c", Query: url.Values{"dryRun": {"All"}}}},
			report.Request{Verb: "delete", Resource: resource, Name: "c", DryRun: true}},
		{"a review, and where it is from", world.Asked{
			From:   scenario.Request{Label: "first", Source: scenario.Source{File: "r.yaml", Line: 3}},
			Review: &admission.Request{Operation: admissionv1.Create, Resource: configMaps, Namespace: "shop", Name: "c", User: admin, DryRun: true},
		}, report.Request{Label: "first", Source: "r.yaml:3", Verb: "create", Resource: resource, Namespace: "shop", Name: "c", User: admin, DryRun: true}},
	} {
		if diff := cmp.Diff(tt.want, answer.Request(tt.asked)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

const cluster = traffictest.Mesh + `
---
apiVersion: v1
kind: ConfigMap
metadata: {name: stored, namespace: shop, resourceVersion: "5"}
---
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: shop}
stringData: {k: hunter2-horse}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: somebody}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: somebody}]
`

// The result says how a request ended, who ended it, and what helps.
func TestNew(t *testing.T) {
	w := traffictest.Read(t, cluster)
	request := func(verb, name, body string) rest.Request {
		return rest.Request{Verb: verb, Resource: configMaps, Namespace: "shop", Name: name, Body: []byte(body), User: admin}
	}
	type shown struct {
		Allowed  bool
		Code     int
		DeniedBy string // the plugin, and the webhook
		Hint     string // its beginning
		Refused  string // what the authorizer would have said, its beginning
	}
	for _, tt := range []struct {
		reason string
		api    rest.Request
		file   string
		want   shown
	}{
		{"it is admitted", request(rest.Create, "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}`), "", shown{Allowed: true, Code: 201}},
		{"a webhook denies it", request(rest.Create, "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new7"}}`), "", shown{Code: 400, DeniedBy: "ValidatingAdmissionWebhook pods.guard.example"}},
		{"an object is missing", request(rest.Get, "none", ""), "r.yaml", shown{Code: 404, Hint: "add the object to the cluster, as it was before the request"}},
		{"an object is missing for a suite", request(rest.Get, "none", ""), "admsim.yaml", shown{Code: 404, Hint: "give the object as it is before the request under oldObject, or name its file under load"}},
		{"nobody may send it", rest.Request{Verb: rest.Create, Resource: configMaps, Namespace: "shop", Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}`), User: authenticationv1.UserInfo{Username: "somebody"}}, "",
			shown{Allowed: true, Code: 201, Refused: `configmaps is forbidden: User "somebody" cannot create resource`}},
	} {
		asked := world.Asked{From: scenario.Request{Source: scenario.Source{File: tt.file}}, API: tt.api, Simulator: w.Simulator()}
		got := answered(t, asked, nil)
		r := got.Result
		is := shown{Allowed: r.Allowed, Code: r.Code, Hint: cut(r.Hint, tt.want.Hint)}
		if r.DeniedBy != nil {
			is.DeniedBy = strings.TrimSpace(r.DeniedBy.Plugin + " " + r.DeniedBy.Name)
		}
		if r.Authorization != nil {
			is.Refused = cut(r.Authorization.Message, tt.want.Refused)
		}
		if diff := cmp.Diff(tt.want, is); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if r.Allowed == (r.Status != nil) || len(got.Runs) != len(r.Admissions) {
			t.Errorf("%s: the status is %v, there are %d runs of %d admissions", tt.reason, r.Status, len(got.Runs), len(r.Admissions))
		}
	}
}

// Alternative answers of the server are listed with the answer, each with who would deny the request.
func TestNewAlternatives(t *testing.T) {
	w := traffictest.Read(t, cluster)
	asked := func(name string) world.Asked {
		return world.Asked{Simulator: w.Simulator(), API: rest.Request{
			Verb: rest.Create, Resource: configMaps, Namespace: "shop", User: admin, Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"}}`),
		}}
	}
	result, err := asked("new").Answer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	denied, err := asked("new7").Answer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	result.Undetermined, result.Alternatives = "who comes first", []rest.Response{denied.Response, result.Response}
	got, err := answer.Usual(asked("new"), result, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []report.Alternative{
		{Code: 400, Status: denied.Status(), Admissions: 1, DeniedBy: &report.Decider{Plugin: "ValidatingAdmissionWebhook", Configuration: "guard", Name: "pods.guard.example", Source: "world.yaml:20"}},
		{Code: 201, Admissions: 1},
	}
	if diff := cmp.Diff(want, got.Result.Alternatives); diff != "" || got.Result.Undetermined != "who comes first" || got.Result.DeniedBy != nil {
		t.Errorf("because of %q, denied by %v (-want +got):\n%s", got.Result.Undetermined, got.Result.DeniedBy, diff)
	}
}

// cut returns text, shortened to beginning if it begins with that.
func cut(text, beginning string) string {
	if beginning != "" && strings.HasPrefix(text, beginning) {
		return beginning
	}
	return text
}

func answered(t *testing.T, asked world.Asked, redactor *redact.Redactor) *document.Answer {
	t.Helper()
	result, err := asked.Answer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got, err := answer.Usual(asked, result, redactor)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Nothing that is shown contains secrets of the cluster, including what is decoded later.
func TestNewSecrets(t *testing.T) {
	w := traffictest.Read(t, cluster)
	redactor, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	asked := world.Asked{Simulator: w.Simulator(), API: rest.Request{
		Verb: rest.Update, Resource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, Namespace: "shop", Name: "token", User: admin,
		Body: []byte(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"token","namespace":"shop","annotations":{"was":"hunter2-horse"}},"stringData":{"k":"correct-battery"}}`),
	}}
	for _, hide := range []bool{true, false} {
		of := redactor
		if !hide {
			of = nil
		}
		got := answered(t, asked, of)
		result, err := asked.Answer(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := got.Decode(result.Object)
		if err != nil {
			t.Fatal(err)
		}
		for what, value := range map[string]any{"the result": got.Result, "the object that is decoded": decoded} {
			text, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if has := strings.Contains(string(text), "hunter2-horse"); has == hide {
				t.Errorf("a secret is hidden: %v, and %s has it: %v: %s", hide, what, has, text)
			}
		}
	}
}
