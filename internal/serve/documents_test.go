package serve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/serve"
)

// Requests for these documents are counted, as by a kube-apiserver 1.37.2; all others are not.
func TestCountedDocuments(t *testing.T) {
	const all = "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList,application/json;v=v2beta1;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList"
	health := func(path string) *serve.Counted { return &serve.Counted{Subresource: path} }
	page := func(name string) *serve.Counted { return &serve.Counted{Resource: name, Component: "apiserver"} }
	for _, tt := range []struct {
		path, accept string
		want         *serve.Counted
		since        string // the first release that counts it; empty: those that have the document
	}{
		{path: "/healthz", want: health("/healthz"), since: "1.18"},
		{path: "/livez?verbose", want: health("/livez"), since: "1.18"},
		{path: "/readyz", want: health("/readyz"), since: "1.18"},
		{path: "/healthz/ping"},
		{path: "/livez/none"},
		{path: "/version"},
		{path: "/api"},
		{path: "/apis"},
		{path: "/api", accept: all, want: &serve.Counted{Subresource: "api", Component: "apiserver"}, since: "1.27"},
		{path: "/apis", accept: all, want: &serve.Counted{Subresource: "apis", Component: "apiserver"}, since: "1.27"},
		{path: "/api/v1"},
		{path: "/apis/apps"},
		{path: "/openapi/v2"},
		{path: "/openapi/v3", want: &serve.Counted{Subresource: "openapi/v3"}, since: "1.27"},
		{path: "/openapi/v3/", want: &serve.Counted{Subresource: "openapi/v3/"}, since: "1.27"},
		{path: "/openapi/v3/api/v1", want: &serve.Counted{Subresource: "openapi/v3/"}, since: "1.27"},
		{path: "/openapi/v3/nope", want: &serve.Counted{Subresource: "openapi/v3/"}, since: "1.27"},
		{path: "/"},
		{path: "/nonsense"},
		{path: "/statusz", accept: "*/*", want: page("statusz"), since: "1.36"},
		{path: "/statusz", accept: "application/json;v=v1alpha1;g=config.k8s.io;as=Statusz", want: &serve.Counted{Group: "config.k8s.io", Version: "v1alpha1", Resource: "statusz", Component: "apiserver"}, since: "1.36"},
		{path: "/flagz", accept: "application/yaml;v=v1beta1;g=config.k8s.io;as=Flagz", want: &serve.Counted{Group: "config.k8s.io", Version: "v1beta1", Resource: "flagz", Component: "apiserver"}, since: "1.36"},
		{path: "/flagz", accept: "application/json", want: page("flagz"), since: "1.36"},
	} {
		for _, version := range []string{"1.17", "1.18", "1.26", "1.27", "1.35", "1.36", "1.37"} {
			answered := make(chan *serve.Answered, 1)
			s := newServerOfRelease(t, version, nil, serve.Options{Answered: func(a *serve.Answered) { answered <- a }})
			s.do("GET", tt.path, "", "Accept", tt.accept)
			want := tt.want
			if tt.since > version {
				want = nil
			}
			if diff := cmp.Diff(want, (<-answered).Document); diff != "" {
				t.Errorf("%s: %s [%s] (-want +got):\n%s", version, tt.path, tt.accept, diff)
			}
		}
	}
}

// Some documents may also be asked for with a slash at the end, and only readiness depends on the shutdown of the server,
// as at a kube-apiserver 1.37.2.
func TestDocumentPaths(t *testing.T) {
	s := newServerOfRelease(t, "1.37", nil, serve.Options{})
	if got, want := string(s.do("GET", "/readyz?verbose", "").body), "[+]ping ok\n[+]etcd ok\n[+]shutdown ok\nreadyz check passed\n"; got != want {
		t.Errorf("readyz: %q, want %q", got, want)
	}
	for path, want := range map[string]int{
		"/healthz": 200, "/healthz/": 404, "/livez/": 404, "/readyz/": 404, "/healthz/ping": 200, "/healthz/ping/": 404,
		"/readyz/shutdown": 200, "/livez/shutdown": 404, "/healthz/shutdown": 404,
		"/version/": 200, "/api/": 200, "/apis/": 200, "/openapi/v2/": 404, "/openapi/v3/": 404, "/openapi/v3/api/v1/": 404, "/openapi/v3/api/v1": 200,
	} {
		if got := s.do("GET", path, ""); got.code != want {
			t.Errorf("%s: %d, want %d", path, got.code, want)
		}
	}
}
