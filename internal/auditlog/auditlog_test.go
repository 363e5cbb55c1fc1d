package auditlog_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/auditlog"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	secretsOf  = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

const (
	config = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"c"},"data":{"n":"1"}}`
	token  = `{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"shop","name":"token"},"stringData":{"k":"hunter2-horse"}}`
)

// event returns the event for an answer, decoded from JSON. Its time does not matter.
func event(t *testing.T, a serve.Answered, redactor *redact.Redactor) map[string]any {
	t.Helper()
	sim, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.Found, a.ID = sim, "1"
	if a.HTTP == nil {
		a.HTTP = httptest.NewRequest(http.MethodGet, "/api/v1/x?limit=5", nil)
	}
	if a.Verb == "" {
		a.Verb = a.Request.Verb
	}
	e, err := auditlog.Event(&a, time.Unix(1, 0), redactor)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// Each row lists some fields of an event; nil: the event does not have the field.
func TestEvent(t *testing.T) {
	forbidden := &metav1.Status{Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Message: "no"}
	created := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "c"}}
	for _, tt := range []struct {
		reason string
		of     serve.Answered
		want   map[string]any
	}{
		{"what is read is logged without bodies", serve.Answered{Request: rest.Request{Verb: rest.Get, Resource: configMaps, Namespace: "shop", Name: "c"}, Code: 200, Result: &simulator.Result{Response: rest.Response{Object: created}}}, map[string]any{
			"level": "Metadata", "stage": "ResponseComplete", "requestURI": "/api/v1/x?limit=5", "requestObject": nil, "responseObject": nil, "annotations": nil,
			"objectRef": map[string]any{"resource": "configmaps", "apiVersion": "v1", "namespace": "shop", "name": "c"}, "responseStatus": map[string]any{"metadata": map[string]any{}, "code": 200.},
		}},
		{"a watch is logged when it starts", serve.Answered{Verb: "watch", Request: rest.Request{Verb: "list", Resource: configMaps}, Code: 200}, map[string]any{"level": "Metadata", "stage": "ResponseStarted", "verb": "watch"}},
		{"what is written, with both bodies", serve.Answered{Request: rest.Request{Verb: rest.Create, Resource: configMaps, Body: []byte(config)}, Code: 201, Result: &simulator.Result{Response: rest.Response{Object: created, Read: true}}}, map[string]any{
			"level": "RequestResponse", "requestObject": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "shop", "name": "c"}, "data": map[string]any{"n": "1"}},
			"responseObject": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "shop", "name": "c"}},
			"objectRef":      map[string]any{"resource": "configmaps", "apiVersion": "v1", "namespace": "shop", "name": "c"},
		}},
		{"a namespace is in itself", serve.Answered{Request: rest.Request{Verb: rest.Delete, Resource: namespaces, Name: "shop"}, Code: 200}, map[string]any{
			"objectRef": map[string]any{"resource": "namespaces", "apiVersion": "v1", "namespace": "shop", "name": "shop"}, "requestObject": nil, "responseObject": nil,
		}},
		{"what is applied is YAML, and logged as JSON", serve.Answered{Request: rest.Request{Verb: rest.Patch, PatchType: rest.ApplyPatch, Resource: configMaps, Name: "c", Body: []byte("apiVersion: v1\nkind: ConfigMap\ndata: {k: \"1\"}\n")}, Code: 200}, map[string]any{
			"requestObject": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"k": "1"}}, "annotations": map[string]any{"admsim.dev/patch-type": rest.ApplyPatch},
		}},
		{"a body that is no JSON is a text", serve.Answered{Request: rest.Request{Verb: rest.Create, Resource: configMaps, Body: []byte("{")}, Code: 400, Status: forbidden}, map[string]any{"requestObject": "{"}},
		{"a refusal is the answer, and how it ended", serve.Answered{Request: rest.Request{Verb: rest.Create, Resource: configMaps, Body: []byte(config)}, Code: 403, Status: forbidden}, map[string]any{
			"responseStatus": map[string]any{"metadata": map[string]any{}, "code": 403., "status": "Failure", "reason": "Forbidden", "message": "no"},
			"responseObject": map[string]any{"apiVersion": "v1", "kind": "Status", "metadata": map[string]any{}, "status": "Failure", "reason": "Forbidden", "message": "no", "code": 403.},
		}},
		{"a path that is none has no object", serve.Answered{Verb: "get", Code: 404}, map[string]any{
			"objectRef": nil, "level": "Metadata", "responseStatus": map[string]any{"metadata": map[string]any{}, "code": 404.},
		}},
		{"what plugins and forks leave", serve.Answered{Fork: "a", Request: rest.Request{Verb: rest.Delete, Resource: configMaps}, Code: 200, Result: &simulator.Result{Response: rest.Response{AuditAnnotations: map[string]string{"p/k": "v"}}}}, map[string]any{
			"annotations": map[string]any{"p/k": "v", "admsim.dev/fork": "a"},
		}},
		{"who asks as whom, and from where", serve.Answered{
			HTTP: &http.Request{URL: &url.URL{Path: "/x"}, RemoteAddr: "10.0.0.9:41000", Header: http.Header{"User-Agent": {"kubectl"}}},
			Verb: "get", User: authenticationv1.UserInfo{Username: "admin"}, As: &authenticationv1.UserInfo{Username: "alice"}, Code: 200,
		}, map[string]any{"user": map[string]any{"username": "admin"}, "impersonatedUser": map[string]any{"username": "alice"}, "sourceIPs": []any{"10.0.0.9"}, "userAgent": "kubectl"}},
	} {
		got := event(t, tt.of, nil)
		for field, want := range tt.want {
			value, has := got[field]
			if diff := cmp.Diff(want, value); diff != "" || has != (want != nil) {
				t.Errorf("%s: %s, present: %v (-want +got):\n%s", tt.reason, field, has, diff)
			}
		}
	}
}

// No field contains a secret of the request, or the password of a URL.
func TestEventSecrets(t *testing.T) {
	denial := &metav1.Status{Status: metav1.StatusFailure, Code: 403, Message: "hunter2-horse is weak: https://user:pass-word@hooks.example/"}
	for _, tt := range []struct {
		reason string
		of     serve.Answered
		want   string
	}{
		{"the body, and an answer that repeats it", serve.Answered{Request: rest.Request{Verb: rest.Create, Resource: secretsOf, Body: []byte(token)}, Code: 403, Status: denial}, "REDACTED-1 is weak"},
		{"the path", serve.Answered{HTTP: httptest.NewRequest(http.MethodPost, "/x?fieldManager=hunter2-horse", nil), Request: rest.Request{Verb: rest.Create, Resource: secretsOf, Body: []byte(token)}, Code: 201}, "fieldManager=REDACTED-1"},
		{"a URL, where there is no secret", serve.Answered{Request: rest.Request{Verb: rest.Create, Resource: configMaps, Body: []byte(config)}, Code: 403, Status: &metav1.Status{Message: "calling https://user:pass-word@hooks.example/"}}, "hooks.example"},
		{"an annotation", serve.Answered{Request: rest.Request{Verb: rest.Create, Resource: secretsOf, Body: []byte(token)}, Code: 201, Result: &simulator.Result{Response: rest.Response{AuditAnnotations: map[string]string{"p/k": "was hunter2-horse"}}}}, "was REDACTED-1"},
	} {
		redactor, err := redact.New()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(event(t, tt.of, redactor))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "hunter2-horse") || strings.Contains(string(text), "pass-word") || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s: %s has a secret, or not %q", tt.reason, text, tt.want)
		}
	}
}
