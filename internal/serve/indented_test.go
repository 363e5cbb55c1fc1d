package serve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
)

// Up to 1.22, JSON is indented as json-iterator does it: an empty object is broken, and what a type writes itself, as a
// custom resource does, stays in one line (answers of 1.15.12, 1.20.15 and 1.22.17).
func TestIndented(t *testing.T) {
	const things = "/apis/example.com/v1/namespaces/default/things"
	status := func(metadata string) string {
		return "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": " + metadata + ",\n" +
			"  \"status\": \"Failure\",\n  \"message\": \"configmaps \\\"none\\\" not found\",\n  \"reason\": \"NotFound\",\n" +
			"  \"details\": {\n    \"name\": \"none\",\n    \"kind\": \"configmaps\"\n  },\n  \"code\": 404\n}"
	}
	for version, want := range map[string]struct{ metadata, list string }{
		"1.20": {"{\n    \n  }", `{"apiVersion":"example.com/v1","items":[],"kind":"ThingList","metadata":{"continue":"","resourceVersion":"8"}}`},
		"1.23": {"{}", "{\n  \"apiVersion\": \"example.com/v1\",\n  \"items\": [],\n  \"kind\": \"ThingList\",\n  \"metadata\": {\n    \"continue\": \"\",\n    \"resourceVersion\": \"8\"\n  }\n}"},
	} {
		s := newServerOfRelease(t, version, nil, serve.Options{})
		if a := s.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
			"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": [
				{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`); a.code != 201 {
			t.Fatalf("the definition: %d %s", a.code, a.body)
		}
		for _, how := range []struct {
			query, accept, agent, metadata string
		}{
			{query: "?pretty=1", metadata: want.metadata},
			{accept: "application/json;pretty=1", metadata: want.metadata},
			{agent: "curl/8.5.0", metadata: want.metadata},
			// An answer that the client does not accept is indented by the standard library.
			{accept: "application/json;as=Table;v=v1;g=meta.k8s.io", metadata: "{}"},
		} {
			a := s.do("GET", maps+"/none"+how.query, "", "Accept", how.accept, "User-Agent", how.agent)
			if diff := cmp.Diff(status(how.metadata), string(a.body)); diff != "" {
				t.Errorf("%s, %+v (-want +got):\n%s", version, how, diff)
			}
		}
		a := s.do("GET", things+"?pretty=1", "")
		if diff := cmp.Diff(want.list, string(a.body)); diff != "" {
			t.Errorf("%s: an empty list (-want +got):\n%s", version, diff)
		}
	}
}

// Only a parameter with a true value asks for an indented answer. An empty one leaves it to the client's name.
func TestAsksToBeIndented(t *testing.T) {
	s := newServer(t, store.Options{})
	for _, tt := range []struct {
		query, agent string
		want         bool
	}{
		{"pretty=true", "kubectl", true},
		{"pretty=T", "kubectl", true},
		{"pretty=f", "curl/8.5.0", false},
		{"pretty=abc", "curl/8.5.0", false},
		{"pretty=", "curl/8.5.0", true},
		{"pretty=", "kubectl", false},
		{"pretty", "kubectl", false},
		{"", "kubectl", false},
	} {
		a := s.do("GET", maps+"/none?"+tt.query, "", "User-Agent", tt.agent)
		if got := strings.HasPrefix(string(a.body), "{\n"); got != tt.want {
			t.Errorf("?%s from %s: indented is %v, want %v: %s", tt.query, tt.agent, got, tt.want, a.body)
		}
	}
}
