package serve_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	openapiv2 "github.com/google/gnostic-models/openapiv2"
	openapiv3 "github.com/google/gnostic-models/openapiv3"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A server is a test server, whose clients are administrators unless they identify themselves otherwise.
type server struct {
	*testing.T
	handler *serve.Handler
	url     string
}

func newServer(t *testing.T, o store.Options) *server {
	t.Helper()
	return newServerOf(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap())}, o)
}

func newServerOf(t *testing.T, of simulator.Options, o store.Options) *server {
	t.Helper()
	return newServerWith(t, of, o, serve.Options{Watches: 1200})
}

func newServerWith(t *testing.T, of simulator.Options, o store.Options, with serve.Options) *server {
	t.Helper()
	sim, err := simulator.New(of)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := store.New(sim, o)
	if err != nil {
		t.Fatal(err)
	}
	if with.Tokens == nil {
		with.Tokens = map[string]authenticationv1.UserInfo{"secret": admission.Administrator()}
	}
	with.Failed = func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) }
	h := serve.New(cluster, with)
	s := httptest.NewServer(h)
	t.Cleanup(func() { h.Close(); s.Close() })
	return &server{t, h, s.URL}
}

// An answer is the response to a request.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

func (a answer) field(path ...string) any {
	var v any
	_ = json.Unmarshal(a.body, &v)
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func (s *server) request(method, path, body string, header ...string) *http.Request {
	s.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

func (s *server) do(method, path, body string, header ...string) answer {
	s.Helper()
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(s.request(method, path, body, header...))
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, text}
}

func (s *server) create(name, more string) answer {
	s.Helper()
	a := s.do("POST", maps, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q}%s}`, name, more))
	if a.code != 201 {
		s.Fatalf("creating %s: %s", name, a.body)
	}
	return a
}

const maps = "/api/v1/namespaces/default/configmaps"

// Old servers lack some documents. kubectl takes from them whether the server validates fields.
func TestOldDocuments(t *testing.T) {
	for _, tt := range []struct {
		version   string
		ready, v3 int
		validates bool
	}{{"1.15", 404, 404, false}, {"1.22", 200, 404, false}, {"1.24", 200, 200, false}, {"1.25", 200, 200, true}} {
		release, err := kubeversion.Parse(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		s := newServerOf(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), Release: release}, store.Options{})
		for path, want := range map[string]int{"/healthz": 200, "/readyz": tt.ready, "/livez": tt.ready, "/openapi/v2": 200, "/openapi/v3": tt.v3, "/openapi/v3/api/v1": tt.v3} {
			if got := s.do("GET", path, "").code; got != want {
				t.Errorf("%s: GET %s = %d, want %d", tt.version, path, got, want)
			}
		}
		if got := bytes.Contains(s.do("GET", "/openapi/v2", "").body, []byte(`"fieldValidation"`)); got != tt.validates {
			t.Errorf("%s: the documents have the parameter fieldValidation: %v, want %v", tt.version, got, tt.validates)
		}
	}
}

// Authorizers and audit logs know verbs that no method and no route has.
func TestVerbs(t *testing.T) {
	var got []string
	s := newServerWith(t, simulator.Options{}, store.Options{}, serve.Options{
		Tokens:   map[string]authenticationv1.UserInfo{"secret": admission.Administrator()},
		Answered: func(a *serve.Answered) { got = append(got, a.Verb) },
	})
	for _, asked := range []string{
		"GET " + maps, "GET " + maps + "?watch=1&timeoutSeconds=1", "GET " + maps + "/a", "HEAD " + maps, "HEAD " + maps + "/a", "POST " + maps + "/a", "DELETE " + maps,
		"DELETE " + maps + "/a", "OPTIONS " + maps, "GET /version", "HEAD /version", "HEAD " + maps + "?watch=1", "HEAD /api/v1/watch/configmaps", "HEAD " + maps + "/a?watch=1",
	} {
		method, path, _ := strings.Cut(asked, " ")
		s.do(method, path, "")
	}
	want := []string{"list", "watch", "get", "list", "get", "create", "deletecollection", "delete", "", "get", "head", "watch", "watch", "get"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the verbs (-want +got):\n%s", diff)
	}
}

// Custom resources and proxies answer HEAD, the routes of built-in resources do not have it. Authorizers are asked what
// they are asked for GET.
func TestHead(t *testing.T) {
	s := newServerWith(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), Authorization: []string{"RBAC"}}, store.Options{}, serve.Options{
		Tokens: map[string]authenticationv1.UserInfo{"secret": admission.Administrator(), "bob": {Username: "bob"}},
	})
	for path, body := range map[string]string{
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions": `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
			"names": {"plural": "things", "kind": "Thing"}, "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`,
		"/apis/rbac.authorization.k8s.io/v1/clusterroles": `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "watcher"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["watch"]}]}`,
		"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings": `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "watcher"},
			"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "watcher"}, "subjects": [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}]}`,
	} {
		if made := s.do("POST", path, body); made.code != 201 {
			t.Fatalf("%s: %s", path, made.body)
		}
	}
	const things = "/apis/example.com/v1/namespaces/default/things"
	if made := s.do("POST", things, `{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}`); made.code != 201 {
		t.Fatalf("%s", made.body)
	}
	for _, tt := range []struct {
		path, token string
		want        int
	}{
		{things, "secret", 200},
		{things + "?watch=1&timeoutSeconds=1", "secret", 200},
		{things + "/a", "secret", 200},
		{things + "/b", "secret", 404},
		{maps, "secret", 405},
		{maps + "?watch=1", "secret", 405},
		{maps + "/kube-root-ca.crt", "secret", 405},
		{"/api/v1/watch/configmaps", "secret", 405},
		{"/api/v1/namespaces/default/nothings", "secret", 404},
		{"/api/v1/namespaces/default/pods/x/log", "secret", 405},
		{"/api/v1/namespaces/default/pods/x/exec", "secret", 405},
		{"/api/v1/namespaces/default/pods/x/proxy", "secret", 404},
		{maps, "bob", 403},
		{maps + "?watch=1", "bob", 405},
	} {
		if got := s.do("HEAD", tt.path, "", "Authorization", "Bearer "+tt.token); got.code != tt.want {
			t.Errorf("%s as %s: %d, want %d", tt.path, tt.token, got.code, tt.want)
		}
	}
}

// The server refuses what it cannot do with the messages of a real one.
func TestRefusals(t *testing.T) {
	s := newServer(t, store.Options{})
	s.create("a", "")
	for _, tt := range []struct {
		method, path, body string
		header             []string
		code               int
		reason, message    string
	}{
		{"GET", maps + "/none", "", nil, 404, "NotFound", `configmaps "none" not found`},
		{"GET", "/api/v1/namespaces/default/none", "", nil, 404, "NotFound", "the server could not find the requested resource"},
		{"POST", maps + "/a", "{}", nil, 405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
		{"HEAD", maps, "", nil, 405, "", ""},
		{"HEAD", "/version", "", nil, 405, "", ""},
		{"POST", "/version", "{}", nil, 405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
		{"HEAD", "/api", "", nil, 405, "", ""},
		{"HEAD", "/api/v1", "", nil, 405, "", ""},
		{"HEAD", "/apis/apps/v1", "", nil, 405, "", ""},
		{"HEAD", "/apis/apps/v9", "", nil, 404, "", ""},
		{"HEAD", "/apis/apps", "", nil, 200, "", ""},
		{"POST", "/apis", "{}", nil, 200, "", ""},
		{"HEAD", "/openapi/v2", "", nil, 200, "", ""},
		{"HEAD", "/healthz", "", nil, 200, "", ""},
		{"GET", maps, "", []string{"Accept", "text/html"}, 406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"},
		{"GET", maps, "", []string{"Accept", "application/json;as=Table;v=v2;g=meta.k8s.io"}, 406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"GET", maps, "", []string{"Accept", "application/json;stream=other"}, 406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"GET", maps, "", []string{"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}, 406, "NotAcceptable", "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)"},
		{"GET", maps + "/a", "", []string{"Accept", "application/yaml;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}, 406, "NotAcceptable", "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)"},
		{"GET", maps + "?watch=1&timeoutSeconds=1", "", []string{"Accept", "application/yaml;as=Table;v=v1;g=meta.k8s.io"}, 406, "NotAcceptable", "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"},
		{"GET", maps + "/a", "", []string{"Accept", "application/*"}, 406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"POST", maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`, nil, 409, "AlreadyExists", `configmaps "a" already exists`},
		{"POST", maps, `{}`, []string{"Content-Type", "text/plain"}, 415, "UnsupportedMediaType", "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"PATCH", maps + "/a", `{}`, []string{"Content-Type", "application/json"}, 415, "UnsupportedMediaType", "415: Unsupported Media Type"},
		{"POST", maps, strings.Repeat(" ", 4<<20), nil, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"},
		{"POST", maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"A"}}`, nil, 422, "Invalid", `ConfigMap "A" is invalid: metadata.name: Invalid value: "A"`},
		{"POST", maps + "?fieldValidation=Strict", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"dta":{}}`, nil, 400, "BadRequest", `strict decoding error: unknown field "dta"`},
		{"GET", maps + "?labelSelector=a+in", "", nil, 400, "BadRequest", "unable to parse requirement"},
		{"GET", maps + "?fieldSelector=spec.x=1", "", nil, 400, "BadRequest", `"spec.x" is not a known field selector`},
		{"GET", maps + "?resourceVersion=999", "", nil, 504, "Timeout", "Too large resource version: 999, current:"},
		{"GET", maps + "?resourceVersionMatch=Exact", "", nil, 422, "Invalid", "resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{"GET", maps + "?continue=x&limit=1", "", nil, 400, "BadRequest", "continue key is not valid"},
		{"GET", maps, "", []string{"Authorization", "Bearer wrong"}, 401, "Unauthorized", "Unauthorized"},
		{"GET", maps, "", []string{"Authorization", ""}, 403, "Forbidden", `configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"`},
		{"GET", "/apis", "", []string{"Authorization", ""}, 403, "Forbidden", `forbidden: User "system:anonymous" cannot get path "/apis"`},
	} {
		a := s.do(tt.method, tt.path, tt.body, tt.header...)
		message, _ := a.field("message").(string)
		reason, _ := a.field("reason").(string)
		if a.code != tt.code || reason != tt.reason || !strings.Contains(message, tt.message) {
			t.Errorf("%s %s: %d %s %q, want %d %s %q", tt.method, tt.path, a.code, reason, message, tt.code, tt.reason, tt.message)
		}
	}
	if a := s.do("GET", "/none", ""); a.code != 404 || string(a.body) != "404 page not found\n" {
		t.Errorf("an unknown path: %d %s", a.code, a.body)
	}
	if a := s.do("GET", "/healthz", "", "Authorization", ""); a.code != 200 || string(a.body) != "ok" {
		t.Errorf("health: %d %s", a.code, a.body)
	}
}

// A list of ComponentStatuses is not stored: it has no version, and cannot be watched.
func TestComponentStatuses(t *testing.T) {
	const path = "/api/v1/componentstatuses"
	s := newServer(t, store.Options{})
	a := s.do("GET", path+"?resourceVersion=999&fieldSelector=metadata.name%3Detcd-0", "")
	want := `{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"etcd-0"},"conditions":[{"type":"Healthy","status":"True","message":"ok"}]}]}`
	if got := strings.TrimSpace(string(a.body)); a.code != 200 || got != want {
		t.Errorf("a list: %d %s, want %s", a.code, got, want)
	}
	if a := s.do("GET", path+"?watch=1&timeoutSeconds=1", ""); a.code != 405 || a.field("reason") != "MethodNotAllowed" {
		t.Errorf("a watch: %d %s", a.code, a.body)
	}
	if a := s.do("GET", path+"/etcd-0", "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"); a.code != 200 || !strings.Contains(string(a.body), `"cells":["etcd-0","Healthy","ok",""]`) {
		t.Errorf("a table: %d %s", a.code, a.body)
	}
}

// An empty list of admission policies in v1alpha1 has no items up to 1.27.
func TestEmptyAlphaPolicies(t *testing.T) {
	const path = "/apis/admissionregistration.k8s.io/v1alpha1/validatingadmissionpolicies"
	for version, items := range map[string]string{"1.27": "", "1.28": `,"items":[]`} {
		release, err := kubeversion.Parse(version)
		if err == nil {
			release, err = release.With(kubeversion.Flags{RuntimeConfig: map[string]bool{"admissionregistration.k8s.io/v1alpha1": true}})
		}
		if err != nil {
			t.Fatal(err)
		}
		s := newServerOf(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), Release: release}, store.Options{})
		list := func() string { return strings.TrimSpace(string(s.do("GET", path, "").body)) }
		if got, want := list(), `"metadata":{"resourceVersion":"`; !strings.Contains(got, want) || !strings.HasSuffix(got, `"}`+items+"}") {
			t.Errorf("an empty list of %s: %s", version, got)
		}
		if a := s.do("POST", path, `{"metadata":{"name":"p"},"spec":{"validations":[{"expression":"true"}],"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"operations":["*"]}]}}}`); a.code != 201 {
			t.Fatalf("%s: %d %s", version, a.code, a.body)
		}
		if got := list(); !strings.Contains(got, `,"items":[{`) {
			t.Errorf("a list of %s: %s", version, got)
		}
	}
}

// An object has the fields of the release, also in a list and in protocol buffers (CV-10, CV-11a).
func TestFieldsOfRelease(t *testing.T) {
	release, err := kubeversion.Parse("1.36")
	if err != nil {
		t.Fatal(err)
	}
	if release, err = release.With(kubeversion.Flags{FeatureGates: map[string]bool{"AllAlpha": true}}); err != nil {
		t.Fatal(err)
	}
	s := newServerOf(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), Release: release}, store.Options{})
	path := "/apis/resource.k8s.io/v1/resourceslices"
	a := s.do("POST", path, `{"metadata":{"name":"s"},"spec":{"driver":"d.example.com","pool":{"name":"p","generation":1,"resourceSliceCount":1},"nodeName":"n",
		"devices":[{"name":"a","capacity":{"mem":{"value":"1"}},"nodeAllocatableResourceMappings":{"cpu":{"capacityKey":"mem","allocationMultiplier":"3"}}}]}}`,
		"Content-Type", "application/json")
	if a.code != 201 {
		t.Fatalf("%d %s", a.code, a.body)
	}
	for _, path := range []string{path, path + "/s"} {
		if a := s.do("GET", path, ""); !strings.Contains(string(a.body), `"nodeAllocatableResourceMappings":{"cpu":{"capacityKey":"mem","allocationMultiplier":"3"}}`) {
			t.Errorf("JSON of %s: %s", path, a.body)
		}
		a := s.do("GET", path, "", "Accept", "application/vnd.kubernetes.protobuf")
		mapping := "j\x11\n\x03cpu\x12\n\n\x03mem\x12\x03\n\x013" // field 13 of k8s.io/api@v0.36.3:resource/v1/types.go, Device
		if !strings.Contains(string(a.body), mapping) {
			t.Errorf("protocol buffers of %s: %q lacks %q", path, a.body, mapping)
		}
	}
}

// Keys that YAML has twice are reported like unknown fields, and before them.
func TestDuplicateKeysOfYAML(t *testing.T) {
	const things = "/apis/example.com/v1/namespaces/default/things"
	s := newServer(t, store.Options{})
	if a := s.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
		"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": [
			{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`); a.code != 201 {
		t.Fatalf("the definition: %d %s", a.code, a.body)
	}
	for _, path := range []string{maps, things} {
		kind, version := "ConfigMap", "v1"
		if path == things {
			kind, version = "Thing", "example.com/v1"
		}
		body := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  name: a\n  name: b\ncolour: red\ncolour: blue\n", version, kind)
		a := s.do("POST", path+"?fieldValidation=Strict", body, "Content-Type", "application/yaml")
		if message, _ := a.field("message").(string); a.code != 400 || !strings.HasSuffix(message, `strict decoding error: yaml: unmarshal errors:
  line 5: key "name" already set in map
  line 7: key "colour" already set in map, unknown field "colour"`) {
			t.Errorf("%s, strict: %d %s", path, a.code, a.body)
		}
		a = s.do("POST", path, body, "Content-Type", "application/yaml")
		want := []string{
			`299 - "line 5: key \"name\" already set in map"`,
			`299 - "line 7: key \"colour\" already set in map"`,
			`299 - "unknown field \"colour\""`,
		}
		if got := a.header["Warning"]; a.code != 201 || a.field("metadata", "name") != "b" || !slices.Equal(got, want) {
			t.Errorf("%s: %d %s, warnings %q", path, a.code, a.body, got)
		}
		if a := s.do("POST", path+"?fieldValidation=Ignore&dryRun=All", strings.ReplaceAll(body, ": b", ": c"), "Content-Type", "application/yaml"); a.code != 201 || a.header["Warning"] != nil {
			t.Errorf("%s, ignored: %d %s, warnings %q", path, a.code, a.body, a.header["Warning"])
		}
	}
}

// Objects are read and written in every format.
func TestForms(t *testing.T) {
	s := newServer(t, store.Options{})
	if a := s.do("POST", maps, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n", "Content-Type", "application/yaml"); a.code != 201 || a.field("data", "k") != "v" {
		t.Errorf("YAML: %d %s", a.code, a.body)
	}
	if a := s.do("GET", maps+"/a", "", "Accept", "application/yaml"); !strings.Contains(string(a.body), "\ndata:\n  k: v\n") && !strings.HasPrefix(string(a.body), "apiVersion: v1\ndata:\n  k: v\n") {
		t.Errorf("YAML: %s", a.body)
	}
	a := s.do("GET", maps+"/a", "", "Accept", "application/vnd.kubernetes.protobuf, application/json")
	if a.header.Get("Content-Type") != "application/vnd.kubernetes.protobuf" {
		t.Fatalf("protobuf: %s", a.header)
	}
	var unknown runtime.Unknown
	var read corev1.ConfigMap
	if err := unknown.Unmarshal(bytes.TrimPrefix(a.body, []byte("k8s\x00"))); err != nil || unknown.Kind != "ConfigMap" {
		t.Fatalf("protobuf: %v of kind %s", err, unknown.Kind)
	}
	if err := read.Unmarshal(unknown.Raw); err != nil || read.Data["k"] != "v" {
		t.Errorf("protobuf: %v, %v", err, read.Data)
	}
	read.ObjectMeta = metav1.ObjectMeta{Name: "b"}
	raw, _ := read.Marshal()
	unknown = runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Raw: raw}
	sent, _ := unknown.Marshal()
	if a := s.do("POST", maps, "k8s\x00"+string(sent), "Content-Type", "application/vnd.kubernetes.protobuf"); a.code != 201 || a.field("data", "k") != "v" {
		t.Errorf("protobuf: %d %s", a.code, a.body)
	}
	if a := s.do("GET", maps, "", "Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"); a.field("kind") != "PartialObjectMetadataList" || strings.Contains(string(a.body), `"data"`) {
		t.Errorf("metadata: %s", a.body)
	}
	if a := s.do("GET", maps, "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1,application/json"); a.field("kind") != "Table" {
		t.Errorf("a table: %s", a.body)
	}
	if a := s.do("GET", maps, "", "Accept", "application/json;as=Nothing;g=meta.k8s.io;v=v1,application/json"); a.field("kind") != "ConfigMapList" {
		t.Errorf("an unknown format: %s", a.body)
	}
	if a := s.do("GET", maps, "", "Accept", "application/json;g=meta.k8s.io;v=v1"); a.code != 406 {
		t.Errorf("a version without a kind: %d %s", a.code, a.body)
	}
	for _, path := range []string{maps, maps + "/b", maps + "?watch=1&timeoutSeconds=1"} {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		a := s.do("GET", path+separator+"includeObject=all", "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
		if want := `Unable to convert to Table as requested: includeObject: Invalid value: "all": must be 'Metadata', 'Object', 'None', or empty`; a.code != 400 || a.field("message") != want {
			t.Errorf("an odd table of %s: %d %s", path, a.code, a.body)
		}
	}
	read.ObjectMeta = metav1.ObjectMeta{Name: "owned", ManagedFields: []metav1.ManagedFieldsEntry{{
		Manager: "me", Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{}{"trailing":1}`)},
	}}}
	raw, _ = read.Marshal()
	unknown.Raw = raw
	sent, _ = unknown.Marshal()
	if a := s.do("POST", maps, "k8s\x00"+string(sent), "Content-Type", "application/vnd.kubernetes.protobuf"); a.code != 201 || strings.Contains(string(a.body), "trailing") || strings.Contains(string(a.body), `"me"`) {
		t.Errorf("owners that cannot be read: %d %s", a.code, a.body)
	}
	s.do("POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	for method, code := range map[string]int{"PUT": 405, "DELETE": 405, "GET": 400, "POST": 400} {
		if a := s.do(method, "/api/v1/namespaces/default/pods/p/exec?command=ls", ""); a.code != code {
			t.Errorf("%s of exec: %d %s, want %d", method, a.code, a.body, code)
		}
	}
	s.create("large", `,"data":{"x":"`+strings.Repeat("x", 200<<10)+`"}`)
	a = s.do("GET", maps+"/large", "", "Accept-Encoding", "gzip")
	z, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(z); err != nil || len(plain) < 200<<10 {
		t.Errorf("compressed: %d bytes, %v", len(plain), err)
	}
}

// Since 1.33 /version also says which release is emulated.
func TestVersion(t *testing.T) {
	for release, want := range map[string][]any{"1.32": {"32", nil, nil}, "1.33": {"33", "33", "32"}, "1.37": {"37", "37", "36"}} {
		of, err := kubeversion.Parse(release)
		if err != nil {
			t.Fatal(err)
		}
		a := newServerOf(t, simulator.Options{Release: of}, store.Options{}).do("GET", "/version", "")
		if got := []any{a.field("minor"), a.field("emulationMinor"), a.field("minCompatibilityMinor")}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", release, got, want)
		}
	}
}

// A client gets the document of all resources again only if it has changed.
func TestAggregatedDiscoveryTag(t *testing.T) {
	s := newServer(t, store.Options{})
	const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	first := s.do("GET", "/apis", "", "Accept", accept)
	tag := first.header.Get("ETag")
	if first.code != 200 || len(tag) != 130 || first.header.Get("Cache-Control") != "public" {
		t.Fatalf("%d %v", first.code, first.header)
	}
	if a := s.do("GET", "/apis", "", "Accept", accept, "If-None-Match", tag); a.code != 304 || len(a.body) > 0 {
		t.Errorf("with the tag: %d, %d bytes", a.code, len(a.body))
	}
	if core := s.do("GET", "/api", "", "Accept", accept, "If-None-Match", tag); core.code != 200 || core.header.Get("ETag") == tag {
		t.Errorf("the core group with the tag of the others: %d %s", core.code, core.header.Get("ETag"))
	}
	definition := `{"metadata": {"name": "stores.shop.example"}, "spec": {"group": "shop.example", "scope": "Namespaced", "names": {"plural": "stores", "kind": "Store"},
		"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`
	if a := s.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition); a.code != 201 {
		t.Fatalf("%d %s", a.code, a.body)
	}
	if a := s.do("GET", "/apis", "", "Accept", accept, "If-None-Match", tag); a.code != 200 || !strings.Contains(string(a.body), "shop.example") {
		t.Errorf("with a tag from before another definition: %d", a.code)
	}
}

// Documents of discovery have the formats of the server that makes them: that of custom resources knows no CBOR, and up to
// 1.36 only documents about a version have it.
func TestDiscoveryForms(t *testing.T) {
	const cbor, protobuf, all = "application/cbor", "application/vnd.kubernetes.protobuf", ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	for _, release := range []string{"1.36", "1.37"} {
		of, err := kubeversion.Parse(release)
		if err != nil {
			t.Fatal(err)
		}
		if of, err = of.With(kubeversion.Flags{FeatureGates: map[string]bool{"CBORServingAndStorage": true}}); err != nil {
			t.Fatal(err)
		}
		s := newServerOf(t, simulator.Options{Release: of}, store.Options{})
		definition := `{"metadata": {"name": "stores.shop.example"}, "spec": {"group": "shop.example", "scope": "Namespaced", "names": {"plural": "stores", "kind": "Store"},
			"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`
		if a := s.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition); a.code != 201 {
			t.Fatalf("%d %s", a.code, a.body)
		}
		for _, tt := range []struct {
			path, accept, in37, in36 string
		}{
			{"/apis/apps/v1", cbor, cbor, cbor},
			{"/apis/shop.example/v1", cbor, "", ""},
			{"/apis/shop.example/v1", cbor + ", */*", "application/json", "application/json"},
			{"/apis/shop.example", cbor, cbor, ""},
			{"/api", cbor, cbor, ""},
			{"/apis", cbor, cbor, ""},
			{"/apis", cbor + all, cbor + all, ""},
			{"/apis", protobuf + all, protobuf + all, protobuf + all},
			{"/api", "application/yaml" + all, "application/yaml" + all, "application/yaml" + all},
			{"/apis", "application/json, application/json" + all, "application/json", "application/json"},
			{"/apis", "application/json;q=0.5, application/json;profile=nopeer" + all, "application/json" + all, "application/json" + all},
			{"/apis", "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList, application/json", "application/json", "application/json"},
		} {
			want, code := tt.in37, 200
			if release == "1.36" {
				want = tt.in36
			}
			if want == "" {
				code = 406
			}
			a := s.do("GET", tt.path, "", "Accept", tt.accept)
			if got := a.header.Get("Content-Type"); a.code != code || code == 200 && got != want {
				t.Errorf("%s: %s as %s: %d %s, want %q", release, tt.path, tt.accept, a.code, got, want)
			}
			if begins := bytes.HasPrefix(a.body, []byte{0xd9, 0xd9, 0xf7}); a.code == 200 && begins != strings.HasPrefix(want, cbor) {
				t.Errorf("%s: %s as %s: %.20q", release, tt.path, tt.accept, a.body)
			}
		}
	}
}

// The OpenAPI documents are JSON, or protocol buffers for clients that prefer these, as client-go does.
func TestOpenAPIForms(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	s := newServer(t, store.Options{})
	const v2, v3 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
	for _, tt := range []struct {
		path, accept, want string
		code               int
	}{
		{"/openapi/v2", "", "application/json", 200},
		{"/openapi/v2", "*/*", "application/json", 200},
		{"/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", v2, 200},
		{"/openapi/v2", "application/json, " + v2, "application/json", 200},
		{"/openapi/v2", "text/html", "", 406},
		{"/openapi/v3", v3, "application/json", 200}, // the index always is JSON
		{"/openapi/v3/api/v1", v3, v3, 200},
		{"/openapi/v3/apis/apps/v1", "application/json", "application/json", 200},
		{"/openapi/v3/apis/nothing/v1", v3, "", 404},
	} {
		a := s.do("GET", tt.path, "", "Accept", tt.accept)
		if got := a.header.Get("Content-Type"); a.code != tt.code || tt.code == 200 && got != tt.want {
			t.Errorf("%s, %s: %d %s", tt.path, tt.accept, a.code, got)
		}
	}
	var older openapiv2.Document
	if err := proto.Unmarshal(s.do("GET", "/openapi/v2", "", "Accept", v2).body, &older); err != nil || older.Swagger != "2.0" || len(older.Definitions.AdditionalProperties) < 500 {
		t.Errorf("v2: %v, %s with %d definitions", err, older.Swagger, len(older.GetDefinitions().GetAdditionalProperties()))
	}
	var newer openapiv3.Document
	if err := proto.Unmarshal(s.do("GET", "/openapi/v3/api/v1", "", "Accept", v3).body, &newer); err != nil || len(newer.Components.Schemas.AdditionalProperties) < 100 {
		t.Errorf("v3: %v, %d schemas", err, len(newer.GetComponents().GetSchemas().GetAdditionalProperties()))
	}
}

// Deleting a collection returns a list of the deleted objects, in every format.
func TestDeletedForms(t *testing.T) {
	for _, tt := range []struct{ accept, kind string }{
		{"application/json", "ConfigMapList"},
		{"application/vnd.kubernetes.protobuf", "ConfigMapList"},
		{"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "PartialObjectMetadataList"},
		{"application/json;as=Table;g=meta.k8s.io;v=v1", "Table"},
	} {
		s := newServer(t, store.Options{})
		s.create("a", `,"data":{"k":"v"}`)
		a := s.do("DELETE", maps+"?fieldSelector=metadata.name=a", "", "Accept", tt.accept)
		if a.code != 200 {
			t.Errorf("%s: %d %s", tt.accept, a.code, a.body)
			continue
		}
		if body, ok := bytes.CutPrefix(a.body, []byte("k8s\x00")); ok {
			var unknown runtime.Unknown
			var list corev1.ConfigMapList
			if err := errors.Join(unknown.Unmarshal(body), list.Unmarshal(unknown.Raw)); err != nil || unknown.Kind != tt.kind || len(list.Items) != 1 || list.Items[0].Data["k"] != "v" {
				t.Errorf("%s: %v, a %s of %v", tt.accept, err, unknown.Kind, list.Items)
			}
		} else if a.field("kind") != tt.kind || !strings.Contains(string(a.body), `"name":"a"`) {
			t.Errorf("%s: %s", tt.accept, a.body)
		}
		if a := s.do("GET", maps+"/a", ""); a.code != 404 {
			t.Errorf("%s: it still exists: %d", tt.accept, a.code)
		}
	}
}

// Up to 1.19, the deleted objects have links to themselves, like those of other lists.
func TestDeletedLinks(t *testing.T) {
	release, err := kubeversion.Parse("1.19")
	if err != nil {
		t.Fatal(err)
	}
	s := newServerOf(t, simulator.Options{Release: release, State: simulator.AssumeControllers(simulator.BootstrapOf(release))}, store.Options{})
	s.create("a", "")
	if a, want := s.do("DELETE", maps, ""), `"selfLink":"`+maps+`/a"`; a.code != 200 || !strings.Contains(string(a.body), want) {
		t.Errorf("%d %s, want %s", a.code, a.body, want)
	}
}

// With authorizers, users may do what their roles allow: with objects, lists, watches, proxies, paths, and other users
// (AU-01).
func TestAuthorization(t *testing.T) {
	s := newServerOf(t, simulator.Options{State: simulator.Bootstrap(), Authorization: []string{"Node", "RBAC"}}, store.Options{})
	roles := "/apis/rbac.authorization.k8s.io/v1/namespaces/default/"
	for _, path := range []struct{ path, body string }{
		{roles + "roles", `{"metadata":{"name":"r"},"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list"]}]}`},
		{roles + "rolebindings", `{"metadata":{"name":"r"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"anna","apiGroup":"rbac.authorization.k8s.io"}]}`},
	} {
		if a := s.do("POST", path.path, path.body); a.code != 201 {
			t.Fatalf("%s: %s", path.path, a.body)
		}
	}
	for _, tt := range []struct {
		user, method, path string
		code               int
		message            string
	}{
		{"anna", "GET", maps, 200, ""},
		{"anna", "GET", maps + "?watch=1", 403, `configmaps is forbidden: User "anna" cannot watch resource "configmaps" in API group "" in the namespace "default"`},
		{"anna", "GET", "/api/v1/secrets", 403, `secrets is forbidden: User "anna" cannot list resource "secrets" in API group "" at the cluster scope`},
		{"anna", "DELETE", maps + "/a", 403, `configmaps "a" is forbidden: User "anna" cannot delete resource "configmaps" in API group "" in the namespace "default"`},
		{"anna", "GET", "/api/v1/nodes/n/proxy/", 403, `nodes "n" is forbidden: User "anna" cannot get resource "nodes/proxy"`},
		{"anna", "POST", "/api/v1/nodes/n/proxy/", 403, `nodes "n" is forbidden: User "anna" cannot create resource "nodes/proxy"`},
		{"anna", "DELETE", "/api/v1/nodes/n/proxy", 403, `nodes "n" is forbidden: User "anna" cannot delete resource "nodes/proxy"`},
		{"anna", "GET", "/apis", 200, ""},
		{"anna", "GET", "/none", 403, `forbidden: User "anna" cannot get path "/none"`},
		{"system:anonymous", "GET", "/version", 200, ""},
		{"system:anonymous", "GET", "/apis", 403, `forbidden: User "system:anonymous" cannot get path "/apis"`},
		{"system:anonymous", "GET", maps, 403, `configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"`},
	} {
		a := s.do(tt.method, tt.path, "", "Impersonate-User", tt.user)
		if message, _ := a.field("message").(string); a.code != tt.code || !strings.HasPrefix(message, tt.message) {
			t.Errorf("%s %s as %s: %d %s, want %d %s", tt.method, tt.path, tt.user, a.code, message, tt.code, tt.message)
		}
	}
	a := s.do("GET", maps, "", "Authorization", "", "Impersonate-User", "anna")
	if message := a.field("message"); message != `configmaps is forbidden: User "system:anonymous" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"` {
		t.Errorf("an anonymous user impersonates: %d %v", a.code, message)
	}
}

// A list shows the state at one version, and returns that version.
func TestListVersions(t *testing.T) {
	s := newServer(t, store.Options{History: 4})
	first := s.create("a", "").field("metadata", "resourceVersion").(string)
	s.create("b", "")
	count := func(a answer) int {
		items, _ := a.field("items").([]any)
		return len(items) - 1 // kube-root-ca.crt
	}
	if a := s.do("GET", maps+"?resourceVersionMatch=Exact&resourceVersion="+first, ""); count(a) != 1 || a.field("metadata", "resourceVersion") != first {
		t.Errorf("at the first version: %s", a.body)
	}
	if a := s.do("GET", maps+"?resourceVersionMatch=NotOlderThan&resourceVersion="+first, ""); count(a) != 2 {
		t.Errorf("not older than the first version: %s", a.body)
	}
	all := s.do("GET", maps+"?limit=1", "")
	next, _ := all.field("metadata", "continue").(string)
	s.create("b0", "")
	if a := s.do("DELETE", maps+"?limit=2&dryRun=All&continue="+next, ""); a.code != 200 || count(a) != 1 || strings.Contains(string(a.body), `"b0"`) {
		t.Errorf("deleting the page after the first one, which b0 is not on: %d %s", a.code, a.body)
	}
	page := s.do("GET", maps+"?limit=1", "")
	token, _ := page.field("metadata", "continue").(string)
	for i := range 20 {
		s.create(fmt.Sprint("c", i), "")
	}
	gone := s.do("GET", maps+"?limit=1&continue="+token, "")
	if gone.code != 410 || gone.field("reason") != "Expired" {
		t.Fatalf("a list that waited too long: %d %s", gone.code, gone.body)
	}
	token, _ = gone.field("metadata", "continue").(string)
	if a := s.do("GET", maps+"?limit=100&continue="+token, ""); a.code != 200 || count(a) < 20 {
		t.Errorf("going on with the newest state: %d, %d objects", a.code, count(a))
	}
	if a := s.do("GET", maps+"?resourceVersionMatch=Exact&resourceVersion="+first, ""); a.code != 410 {
		t.Errorf("a forgotten version: %d %s", a.code, a.body)
	}
}

// An event is an event of a watch.
type event struct {
	Type   string
	Object struct {
		Kind     string
		Code     int
		Metadata metav1.ObjectMeta
		Rows     []any
	}
}

// watch reads events until there are n, or the watch ends.
func (s *server) watch(query string, n int, header ...string) (events []event) {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	response, err := http.DefaultTransport.RoundTrip(s.request("GET", maps+"?watch=1&"+query, "", header...).WithContext(ctx))
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		s.Fatalf("watch: %s", response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	for len(events) < n && lines.Scan() {
		events = append(events, eventsIn(s.T, lines.Bytes())...)
	}
	return events
}

// eventsIn parses the events of a watch, one per line.
func eventsIn(t *testing.T, text []byte) (events []event) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		events = append(events, e)
	}
	return events
}

func summary(events []event) string {
	var all []string
	for _, e := range events {
		text := e.Type + " " + e.Object.Metadata.Name
		if e.Object.Metadata.Annotations[metav1.InitialEventsAnnotationKey] != "" {
			text = e.Type + " (all)"
		}
		if e.Object.Code != 0 {
			text = fmt.Sprint(e.Type, " ", e.Object.Code)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// A watch sends the existing objects, or what happens after a version, until its timeout.
func TestWatch(t *testing.T) {
	s := newServer(t, store.Options{History: 4})
	first := s.create("a", "").field("metadata", "resourceVersion").(string)
	s.create("b", "")
	s.do("DELETE", maps+"/a", "")
	for _, tt := range []struct{ query, want string }{
		{"timeoutSeconds=1&resourceVersion=" + first, "ADDED b, DELETED a"},
		{"timeoutSeconds=1", "ADDED b, ADDED kube-root-ca.crt"},
		{"timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", "ADDED b, ADDED kube-root-ca.crt, BOOKMARK (all)"},
		{"timeoutSeconds=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", ""},
		{"timeoutSeconds=1&fieldSelector=metadata.name=b&resourceVersion=" + first, "ADDED b"},
	} {
		if got := summary(s.watch(tt.query, 99)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.query, got, tt.want)
		}
	}
	table := s.watch("timeoutSeconds=1", 1, "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	if len(table) != 1 || table[0].Object.Kind != "Table" || len(table[0].Object.Rows) != 1 {
		t.Errorf("a table: %v", table)
	}
	for i := range 20 {
		s.create(fmt.Sprint("c", i), "")
	}
	if got := summary(s.watch("resourceVersion="+first, 1)); got != "ERROR 410" {
		t.Errorf("a forgotten version: %s", got)
	}
}

// A watch refuses a version that cannot be read. What goes wrong later is an event, after the code 200.
func TestWatchRefusals(t *testing.T) {
	s := newServer(t, store.Options{})
	s.create("a", "")
	for _, tt := range []struct {
		path string
		code int
		want string
	}{
		{maps + "?watch=1&resourceVersion=abc", 500, `resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{maps + "?watch&resourceVersion=-1", 500, `resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax`},
		{"/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db", 400, "fieldSelector metadata.name doesn't match requested name"},
		{"/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=data%3Db", 400, `"data" is not a known field selector: only "metadata.name", "metadata.namespace"`},
	} {
		if a := s.do("GET", tt.path, ""); a.code != tt.code || a.field("message") != tt.want {
			t.Errorf("%s: %d %s, want %d %s", tt.path, a.code, a.body, tt.code, tt.want)
		}
	}
	late := s.watch("resourceVersion=99999&resourceVersionMatch=NotOlderThan&sendInitialEvents=true", 9)
	if got := summary(late); got != "ERROR 504" {
		t.Errorf("a watch of a version that does not exist yet: %s", got)
	}
	if a := s.do("GET", "/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=1&fieldSelector=metadata.name%3Da", ""); a.code != 200 {
		t.Errorf("a selector that names the same object: %d %s", a.code, a.body)
	}
}

// The number of watches is limited.
func TestWatchLimit(t *testing.T) {
	sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := store.New(sim, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := serve.New(cluster, serve.Options{Watches: 1})
	backend := httptest.NewServer(h.As(admission.Administrator()))
	defer backend.Close()
	defer h.Close()
	response, err := http.Get(backend.URL + maps + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	second, err := http.Get(backend.URL + maps + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Body.Close()
	if second.StatusCode != 429 || second.Header.Get("Retry-After") != "1" {
		t.Errorf("the second watch: %s", second.Status)
	}
}
