package serve_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/serve"
)

// Requests for these documents are counted, as by a kube-apiserver 1.37.2; all others are not.
func TestCountedDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
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
	text := string(s.do("GET", "/readyz?verbose", "").body)
	if !strings.HasPrefix(text, "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n") || !strings.HasSuffix(text, "\n[+]shutdown ok\nreadyz check passed\n") {
		t.Errorf("readyz: %q", text)
	}
	for path, want := range map[string]int{
		"/healthz": 200, "/healthz/": 404, "/livez/": 404, "/readyz/": 404, "/healthz/ping": 200, "/healthz/ping/": 404,
		"/livez/poststarthook/rbac/bootstrap-roles": 200, "/livez/poststarthook": 404,
		"/readyz/shutdown": 200, "/livez/shutdown": 404, "/healthz/shutdown": 404,
		"/version/": 200, "/api/": 200, "/apis/": 200, "/openapi/v2/": 404, "/openapi/v3/": 404, "/openapi/v3/api/v1/": 404, "/openapi/v3/api/v1": 200,
	} {
		if got := s.do("GET", path, ""); got.code != want {
			t.Errorf("%s: %d, want %d", path, got.code, want)
		}
	}
}

// Up to 1.22, what no path leads to is answered with the paths of the server of custom resources. A kube-apiserver 1.15.12
// gave these answers.
func TestIndex(t *testing.T) {
	s := newServerOfRelease(t, "1.15", nil, serve.Options{Metrics: func(http.ResponseWriter, *http.Request) {}})
	for path, want := range map[string]string{
		"/foo": `
			/apis
			/apis/
			/apis/apiextensions.k8s.io
			/apis/apiextensions.k8s.io/v1beta1
			/healthz
			/healthz/etcd
			/healthz/log
			/healthz/ping
			/healthz/poststarthook/crd-informer-synced
			/healthz/poststarthook/generic-apiserver-start-informers
			/healthz/poststarthook/start-apiextensions-controllers
			/healthz/poststarthook/start-apiextensions-informers
			/metrics
			/openapi/v2
			/version`,
		"/": `
			/api
			/api/v1
			/apis
			/healthz
			/healthz/autoregister-completion
			/healthz/etcd
			/healthz/log
			/healthz/ping
			/healthz/poststarthook/apiservice-openapi-controller
			/healthz/poststarthook/apiservice-registration-controller
			/healthz/poststarthook/apiservice-status-available-controller
			/healthz/poststarthook/bootstrap-controller
			/healthz/poststarthook/ca-registration
			/healthz/poststarthook/crd-informer-synced
			/healthz/poststarthook/generic-apiserver-start-informers
			/healthz/poststarthook/kube-apiserver-autoregistration
			/healthz/poststarthook/rbac/bootstrap-roles
			/healthz/poststarthook/scheduling/bootstrap-system-priority-classes
			/healthz/poststarthook/start-apiextensions-controllers
			/healthz/poststarthook/start-apiextensions-informers
			/healthz/poststarthook/start-kube-aggregator-informers
			/healthz/poststarthook/start-kube-apiserver-admission-initializer
			/logs
			/metrics
			/openapi/v2
			/version`,
	} {
		a := s.do("GET", path, "")
		var got struct{ Paths []string }
		if err := json.Unmarshal(a.body, &got); err != nil {
			t.Fatal(err)
		}
		if path == "/" { // the groups are those that the release has
			got.Paths = slices.DeleteFunc(got.Paths, func(p string) bool { return strings.HasPrefix(p, "/apis/") })
		}
		if diff := cmp.Diff(strings.Fields(want), got.Paths); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	for release, plain := range map[string]bool{"1.15": false, "1.22": false, "1.23": true} {
		a := newServerOfRelease(t, release, nil, serve.Options{}).do("POST", "/healthz/none", "")
		if got := string(a.body) == "404 page not found\n"; a.code != 404 || got != plain {
			t.Errorf("%s: %d %s", release, a.code, a.body)
		}
	}
}
