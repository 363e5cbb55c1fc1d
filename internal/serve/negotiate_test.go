package serve_test

import (
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/serve"
)

// Forms that a client asks for with odd parameters, as 1.15.12, 1.20.15, 1.22.17, 1.24.17 and 1.37.2 answer: up to 1.16,
// a parameter without a value counts; up to 1.14, tables are of v1beta1, and up to 1.23, subresources are not shown as
// tables; the metadata of custom resources have protocol buffers; a custom resource is taken for a list until its items are
// looked for.
func TestOddForms(t *testing.T) {
	const (
		list     = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		things   = "/apis/example.com/v1/namespaces/default/things"
		accepted = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"
	)
	for _, tt := range []struct {
		release, path, accept string
		code                  int
		message               string
	}{
		{"1.16", maps, "application/json;as=", 406, accepted},
		{"1.16", maps, "application/json;as=x=y", 406, accepted},
		{"1.20", maps, "application/json;as=", 200, ""},
		{"1.20", maps, "application/json;as=x=y", 200, ""},
		{"1.20", maps + "/a", "application/json" + list, 406, "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)"},
		{"1.20", things, "application/json;as=Table", 406, accepted},
		{"1.14", maps, "application/json;as=Table;g=meta.k8s.io;v=v1", 406, accepted},
		{"1.14", maps, "application/json;as=Table;g=meta.k8s.io;v=v1beta1", 200, ""},
		{"1.23", "/api/v1/namespaces/default/status", "application/json;as=Table;g=meta.k8s.io;v=v1", 406, accepted},
		{"1.24", "/api/v1/namespaces/default/status", "application/json;as=Table;g=meta.k8s.io;v=v1", 200, "Active"},
		{"1.20", things, "application/vnd.kubernetes.protobuf", 406, accepted},
		{"1.20", things, "application/vnd.kubernetes.protobuf" + list, 200, ""},
		{"1.20", things + "/plain", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 200, ""},
		{"1.37", things + "/plain", "application/json" + list, 500, "content is not a list"},
		{"1.37", things + "/items", "application/json" + list, 500, "*unstructured.Unstructured is not a list: no Items field in this object"},
		{"1.37", things + "/text", "application/json" + list, 500, "content is not a list: string"},
	} {
		s := newServerOfRelease(t, tt.release, nil, serve.Options{})
		s.create("a", "")
		s.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
			"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": [
				{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`)
		for name, items := range map[string]string{"plain": "", "items": `,"items":[{}]`, "text": `,"items":"none"`} {
			s.do("POST", things, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"`+name+`"}`+items+`}`)
		}
		a := s.do("GET", tt.path, "", "Accept", tt.accept)
		if a.code != tt.code || !strings.Contains(string(a.body), strings.ReplaceAll(tt.message, `"`, `\"`)) {
			t.Errorf("%s: %s as %s: %d %s, want %d %s", tt.release, tt.path, tt.accept, a.code, a.body, tt.code, tt.message)
		}
	}
}

// Up to 1.19, tables have a link to the object or the list that they show.
func TestTablesAreLinked(t *testing.T) {
	s := newServerOfRelease(t, "1.15", nil, serve.Options{})
	s.create("a", "")
	for _, path := range []string{maps, maps + "/a"} {
		a := s.do("GET", path, "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1beta1")
		if want := `"metadata":{"selfLink":"` + path + `","resourceVersion"`; !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %s, want %s", path, a.body, want)
		}
	}
}

// Who does not say what it is owns its fields as unknown, and without a value, the parameter pretty says nothing.
func TestUnknownClient(t *testing.T) {
	s := newServerOfRelease(t, "1.37", nil, serve.Options{})
	for agent, want := range map[string]string{"": "unknown", "/v1": "unknown", "tool/v1": "tool"} {
		a := s.do("POST", maps+"?pretty=", `{"metadata":{"generateName":"a"},"data":{"k":"v"}}`, "User-Agent", agent)
		if !strings.Contains(string(a.body), `"manager":"`+want+`"`) {
			t.Errorf("client %q: %s, want the manager %s in one line", agent, a.body, want)
		}
	}
}
