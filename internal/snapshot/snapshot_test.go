package snapshot

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/redact"
)

// A server implements the parts of the API that a snapshot needs: paged lists, discovery, single objects, and refusals.
type server struct {
	t        *testing.T
	objects  map[string][]string // items by path
	kinds    map[string]string   // of the list at a path
	single   map[string]string
	refused  string // a path that the user may not read
	expired  bool   // the second page is requested too late, once
	requests []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests = append(s.requests, r.URL.Path+"?"+r.URL.RawQuery)
	if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer reader" {
		s.status(w, http.StatusUnauthorized)
		return
	}
	if r.URL.Path == s.refused {
		s.status(w, http.StatusForbidden)
		return
	}
	if text, ok := s.single[r.URL.Path]; ok {
		fmt.Fprint(w, text)
		return
	}
	items, ok := s.objects[r.URL.Path]
	if !ok {
		s.status(w, http.StatusNotFound)
		return
	}
	from := 0
	if token := r.URL.Query().Get("continue"); token != "" {
		if s.expired {
			s.expired = false
			s.status(w, http.StatusGone)
			return
		}
		fmt.Sscanf(token, "from-%d", &from)
	}
	limit := 0
	fmt.Sscan(r.URL.Query().Get("limit"), &limit)
	to, next := len(items), ""
	if limit > 0 && from+limit < to {
		to = from + limit
		next = fmt.Sprintf("from-%d", to)
	}
	fmt.Fprintf(w, `{"kind":%q,"apiVersion":"v1","metadata":{"resourceVersion":"7","continue":%q},"items":[%s]}`, s.kinds[r.URL.Path]+"List", next, strings.Join(items[from:to], ","))
}

func (s *server) status(w http.ResponseWriter, code int) {
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no: %d","code":%d}`, code, code)
}

func newServer(t *testing.T) *server {
	s := &server{t: t, objects: map[string][]string{}, kinds: map[string]string{}}
	add := func(path, kind string, items ...string) { s.objects[path], s.kinds[path] = items, kind }
	add("/api/v1/namespaces", "Namespace",
		`{"metadata":{"name":"a","labels":{"team":"x"},"managedFields":[{"manager":"kubectl"}]}}`,
		`{"metadata":{"name":"b","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}`,
		`{"metadata":{"name":"c"}}`)
	add("/apis/rbac.authorization.k8s.io/v1/clusterroles", "ClusterRole", `{"metadata":{"name":"system:node"}}`)
	add("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
		`{"metadata":{"name":"w"},"webhooks":[{"clientConfig":{"service":{"namespace":"a","name":"hook"}}},{"name":"gone.example","clientConfig":{"service":{"namespace":"a","name":"gone"}}}]}`)
	add("/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies", "MutatingAdmissionPolicy",
		`{"metadata":{"name":"p"},"spec":{"paramKind":{"apiVersion":"shop.example/v1","kind":"Limit"}}}`)
	add("/apis/discovery.k8s.io/v1/namespaces/a/endpointslices", "EndpointSlice", `{"metadata":{"namespace":"a","name":"hook-x"}}`)
	add("/apis/shop.example/v1/limits", "Limit", `{"apiVersion":"shop.example/v1","kind":"Limit","metadata":{"namespace":"b","name":"l"},"spec":{"max":9007199254740993,"key":"sesame"}}`)
	s.single = map[string]string{
		"/api/v1/namespaces/a/services/hook": `{"apiVersion":"v1","kind":"Service","metadata":{"namespace":"a","name":"hook"}}`,
		"/apis/shop.example/v1":              `{"kind":"APIResourceList","resources":[{"name":"limits/status","kind":"Limit"},{"name":"limits","kind":"Limit"}]}`,
	}
	return s
}

func (s *server) snapshot(pageSize int) (files map[string]string, warnings []string) {
	s.t.Helper()
	at := httptest.NewTLSServer(s)
	defer at.Close()
	kubeconfig := filepath.Join(s.t.TempDir(), "config")
	config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{"name":"c","cluster":{"server":%q,"certificate-authority-data":%q}}],"users":[{"name":"u","user":{"token":"reader"}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}]}`,
		at.URL, base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: at.Certificate().Raw})))
	if err := os.WriteFile(kubeconfig, []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
	c, err := Connect(kubeconfig, "")
	if err != nil {
		s.t.Fatal(err)
	}
	c.PageSize = pageSize
	c.Warn = func(text string) { warnings = append(warnings, text) }
	redactor, err := redact.New("Limit:spec.key")
	if err != nil {
		s.t.Fatal(err)
	}
	dir := filepath.Join(s.t.TempDir(), "world")
	folder, err := NewFolder(dir, nil, redactor)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Read(s.t.Context(), folder.Write); err != nil {
		s.t.Fatal(err)
	}
	return filesOf(s.t, dir), warnings
}

func filesOf(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Everything that admission depends on is read, whatever the page size, in the served versions, and is written without
// what only the server needs.
func TestRead(t *testing.T) {
	want := map[string]string{
		"namespaces/a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  labels:\n    team: x\n  name: a\n",
		"namespaces/b.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: b\n",
		"namespaces/c.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: c\n",
		"clusterroles.rbac.authorization.k8s.io/system%3Anode.yaml":           "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: system:node\n",
		"validatingwebhookconfigurations.admissionregistration.k8s.io/w.yaml": "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: w\nwebhooks:\n- clientConfig:\n    service:\n      name: hook\n      namespace: a\n- clientConfig:\n    service:\n      name: gone\n      namespace: a\n  name: gone.example\n",
		"mutatingadmissionpolicies.admissionregistration.k8s.io/p.yaml":       "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicy\nmetadata:\n  name: p\nspec:\n  paramKind:\n    apiVersion: shop.example/v1\n    kind: Limit\n",
		"services/a/hook.yaml":                          "apiVersion: v1\nkind: Service\nmetadata:\n  name: hook\n  namespace: a\n",
		"endpointslices.discovery.k8s.io/a/hook-x.yaml": "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata:\n  name: hook-x\n  namespace: a\n",
		"limits.shop.example/b/l.yaml":                  "apiVersion: shop.example/v1\nkind: Limit\nmetadata:\n  name: l\n  namespace: b\nspec:\n  key: REDACTED-1\n  max: 9007199254740993\n",
	}
	for _, pageSize := range []int{0, 1, 2} {
		s := newServer(t)
		files, warnings := s.snapshot(pageSize)
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", pageSize, diff)
		}
		if diff := cmp.Diff([]string{"webhook w/gone.example is behind service a/gone, which does not exist"}, warnings); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
		if slices.ContainsFunc(s.requests, func(r string) bool { return strings.Contains(r, "secrets") }) {
			t.Error("Secrets were requested")
		}
	}
}

// A list that takes too long starts again, and nothing is read twice.
func TestExpired(t *testing.T) {
	s := newServer(t)
	s.expired = true
	files, _ := s.snapshot(2)
	for _, name := range []string{"a", "b", "c"} {
		if _, ok := files["namespaces/"+name+".yaml"]; !ok {
			t.Errorf("namespace %s is missing", name)
		}
	}
}

// What the user may not read leads to a warning, and everything else is read.
func TestForbidden(t *testing.T) {
	s := newServer(t)
	s.refused = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
	files, warnings := s.snapshot(0)
	if len(files) != 8 || len(warnings) != 2 || !strings.Contains(warnings[0], "clusterroles.rbac.authorization.k8s.io are not in the snapshot: no: 403") {
		t.Errorf("%d files, warnings %q", len(files), warnings)
	}
}

// The data of a Secret is never written, even if nothing is redacted.
func TestSecretData(t *testing.T) {
	dir := t.TempDir()
	folder, err := NewFolder(filepath.Join(dir, "w"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	secret := Object{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s", "namespace": "a"}, "data": map[string]any{"k": "c2VzYW1l"}, "stringData": map[string]any{"k": "sesame"}}
	if err := folder.Write("", secret); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"secrets/a/s.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: a\n"}
	if diff := cmp.Diff(want, filesOf(t, filepath.Join(dir, "w"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := NewFolder(filepath.Join(dir, "w"), nil, nil); err == nil {
		t.Error("NewFolder accepts a folder that is not empty")
	}
}

// The role is sufficient and grants nothing that is not used, except for the params of policies.
func TestRules(t *testing.T) {
	s := newServer(t)
	s.snapshot(0)
	asked := map[string]bool{}
	for _, r := range s.requests {
		path, _, _ := strings.Cut(r, "?")
		parts := strings.Split(strings.Trim(path, "/"), "/")
		group, parts := "", parts[1:] // behind api or apis
		if strings.HasPrefix(path, "/apis/") {
			group, parts = parts[0], parts[1:]
		}
		parts = parts[1:] // the version
		if len(parts) > 2 && parts[0] == "namespaces" {
			parts = parts[2:]
		}
		switch {
		case group == "shop.example", len(parts) == 0: // params, and what is served
		case len(parts) == 1:
			asked[group+"/"+parts[0]+" list"] = true
		default:
			asked[group+"/"+parts[0]+" get"] = true
		}
	}
	allowed := map[string]bool{}
	for _, rule := range rules() {
		for _, group := range rule.APIGroups {
			for _, name := range rule.Resources {
				for _, verb := range rule.Verbs {
					allowed[group+"/"+name+" "+verb] = true
				}
			}
		}
	}
	if diff := cmp.Diff(allowed, asked); diff != "" {
		t.Errorf("(-allowed +asked):\n%s", diff)
	}
}

// A token that begins with * and has no quotes is an alias for YAML, which names it in its error.
func TestBrokenKubeconfigShowsNoToken(t *testing.T) {
	for _, value := range []string{"*sEcretToken", "[*sEcretToken]", "*sEcretToken'", "{sEcretToken: [", `"sEcret\qToken"`, "[sEcretToken]"} {
		kubeconfig := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\nusers: [{name: u, user: {token: "+value+"}}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Connect(kubeconfig, ""); err == nil || strings.Contains(err.Error(), "sEcret") {
			t.Errorf("token: %s: %v, want an error that does not repeat it", value, err)
		}
	}
}
