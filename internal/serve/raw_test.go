package serve_test

import (
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/store"
)

// An object keeps raw JSON with the spaces that its client sent. A patch loses them, and so changes what must not change
// (RT-11a). A server of 1.37.2 gave these answers.
func TestRawJSON(t *testing.T) {
	const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions"
	s := newServer(t, store.Options{})
	for _, step := range []struct {
		method, path, format, body string
		code                       int
	}{
		{"POST", "", "json", `{"metadata":{"name":"a"},"revision":1,"data":{"a": 1}}`, 201},
		{"PATCH", "/a", "merge-patch+json", `{"metadata":{"labels":{"x":"y"}}}`, 422},
		{"PUT", "/a", "json", `{"metadata":{"name":"a"},"revision":2,"data":{"a":1}}`, 422},
		{"PUT", "/a", "json", `{"metadata":{"name":"a"},"revision":2,"data":{"a": 1}}`, 200},
		{"PATCH", "/a", "json-patch+json", `[{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]`, 422},
		{"PATCH", "/a", "strategic-merge-patch+json", `{"revision":5}`, 422},
		{"POST", "", "yaml", "metadata: {name: b}\nrevision: 1\ndata: {b: 2,   a: 1}", 201}, // YAML becomes JSON, with sorted members
		{"PUT", "/b", "json", `{"metadata":{"name":"b"},"revision":2,"data":{"b":2,"a":1}}`, 422},
		{"PUT", "/b", "json", `{"metadata":{"name":"b"},"revision":2,"data":{"a":1,"b":2}}`, 200},
		{"PATCH", "/b", "merge-patch+json", `{"metadata":{"labels":{"x":"y"}}}`, 200},
	} {
		a := s.do(step.method, revisions+step.path, step.body, "Content-Type", "application/"+step.format)
		if a.code != step.code {
			t.Errorf("%s of %s: %d %s, want %d", step.method, step.body, a.code, a.body, step.code)
		}
		if message, _ := a.field("message").(string); a.code == 422 && !strings.HasSuffix(message, ": field is immutable") {
			t.Errorf("%s of %s: %s", step.method, step.body, message)
		}
	}
}
