package serve_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	cbor "k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

func newServerOfRelease(t *testing.T, version string, gates map[string]bool, with serve.Options) *server {
	t.Helper()
	release, err := kubeversion.Parse(version)
	if err == nil {
		release, err = release.With(kubeversion.Flags{FeatureGates: gates})
	}
	if err != nil {
		t.Fatal(err)
	}
	return newServerWith(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), Release: release}, store.Options{}, with)
}

// The server shows its status and its flags as text, or as the kind that a client asks for, as a kube-apiserver 1.37.2
// did.
func TestPages(t *testing.T) {
	const asked = ";v=v1beta1;g=config.k8s.io;as="
	for _, tt := range []struct {
		path, accept string
		code         int
		contentType  string
	}{
		{"/statusz", "", 200, "text/plain; charset=utf-8"},
		{"/flagz", " ", 200, "text/plain; charset=utf-8"},
		{"/statusz", "*/*", 200, "text/plain; charset=utf-8"},
		{"/flagz", "text/*", 200, "text/plain; charset=utf-8"},
		{"/statusz", "application/json" + asked + "Statusz", 200, "application/json;g=config.k8s.io;v=v1beta1;as=Statusz"},
		{"/flagz", "application/yaml" + asked + "Flagz", 200, "application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz"},
		{"/flagz", "application/cbor" + asked + "Flagz", 200, "application/cbor;g=config.k8s.io;v=v1beta1;as=Flagz"},
		{"/statusz", "text/html,application/json" + asked + "Statusz,text/plain", 200, "application/json;g=config.k8s.io;v=v1beta1;as=Statusz"},
		{"/statusz", "application/json", 406, "application/json"},
		{"/statusz", "application/json;pretty=1", 406, "application/json"},
		{"/statusz", "text/plain" + asked + "Statusz", 406, "application/json"},
		{"/statusz", "application/json" + asked + "Flagz", 406, "application/json"},
		{"/flagz", "application/json;v=v1;g=config.k8s.io;as=Flagz", 406, "application/json"},
		{"/flagz", "application/vnd.kubernetes.protobuf" + asked + "Flagz", 406, "application/json"},
		{"/flagz", "text/html", 406, "application/json"},
	} {
		s := newServerOfRelease(t, "1.37", map[string]bool{"CBORServingAndStorage": true}, serve.Options{})
		got := s.do("GET", tt.path, "", "Accept", tt.accept)
		if got.code != tt.code || got.header.Get("Content-Type") != tt.contentType {
			t.Errorf("%s [%s]: %d %s %s", tt.path, tt.accept, got.code, got.header.Get("Content-Type"), got.body)
		}
		if text, want := got.field("message"), "only the following media types are accepted: application/json, application/yaml, text/plain, application/cbor"; tt.code == 406 && text != want {
			t.Errorf("%s [%s]: %s", tt.path, tt.accept, text)
		}
	}
	s := newServerOfRelease(t, "1.37", nil, serve.Options{})
	if got := s.do("GET", "/statusz/", ""); got.code != 404 {
		t.Errorf("/statusz/: %d", got.code)
	}
	for _, method := range []string{"POST", "HEAD"} {
		if got := s.do(method, "/statusz", ""); got.code != 200 {
			t.Errorf("%s /statusz: %d", method, got.code)
		}
	}
	old := s.do("GET", "/flagz", "", "Accept", "application/json;v=v1alpha1;g=config.k8s.io;as=Flagz")
	if got, want := old.header.Get("Warning"), `299 - "This version of the flagz endpoint is deprecated. Please use a newer version."`; got != want || old.field("apiVersion") != "config.k8s.io/v1alpha1" {
		t.Errorf("%q, %s", got, old.body)
	}
}

// The status says which release is simulated, since when, and where else to look.
func TestStatusPage(t *testing.T) {
	s := newServerOfRelease(t, "1.36", nil, serve.Options{})
	text := string(s.do("GET", "/statusz", "").body)
	want := regexp.MustCompile(`^
apiserver statusz
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.

Started(:|: |=| ) [A-Z].* 20\d\d
Up(:|: |=| ) 0 hr 00 min \d\d sec
Go version(:|: |=| ) go1.*
Binary version(:|: |=| ) 1\.36\.0
Emulation version(:|: |=| ) 1\.36
Paths(:|: |=| ) /flagz /healthz /livez /readyz /statusz /version
$`)
	if !want.MatchString(text) {
		t.Errorf("%s\nis not like\n%s", text, want)
	}
	page := s.do("GET", "/statusz", "", "Accept", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz")
	if got, want := page.field("paths"), []any{"/flagz", "/healthz", "/livez", "/readyz", "/statusz", "/version"}; !cmp.Equal(got, any(want)) {
		t.Errorf("paths: %v", got)
	}
	if got := page.field("binaryVersion"); got != "1.36.0" {
		t.Errorf("binaryVersion: %v", got)
	}
	if !regexp.MustCompile(`^\{"kind":"Statusz","apiVersion":"config.k8s.io/v1beta1","metadata":\{"name":"apiserver"\},"startTime":"[^"]*Z","uptimeSeconds":`).Match(page.body) {
		t.Errorf("%s", page.body)
	}
}

// Flags that were given are shown in the form of the server, as a kube-apiserver 1.37.2 shows them, and those that the
// server sets itself. All others have their defaults.
func TestFlagsPage(t *testing.T) {
	s := newServerOfRelease(t, "1.37", map[string]bool{"CBORServingAndStorage": true}, serve.Options{NoAnonymous: true, Flags: map[string][]string{
		"advertise-address":            {"192.0.2.2"},
		"audit-log-batch-throttle-qps": {"1.50"},
		"authorization-mode":           {"RBAC,Node"},
		"cert-dir":                     {"certificates"},
		"disabled-metrics":             {"a", "b"},
		"enable-logs-handler":          {"1"},
		"event-ttl":                    {"90m"},
		"feature-gates":                {"kube:B=false,C=true", "A=true, kube: A=false"},
		"goaway-chance":                {"0.010"},
		"listen":                       {"127.0.0.1:0"},
		"max-requests-inflight":        {"0400"},
		"runtime-config":               {"b/v1=true,a/v1,v1=true", "c/v1=false,b/v1=false"},
		"secure-port":                  {"1", "2"},
		"token-auth-file":              {"tokens.csv"},
		"service-account-issuer":       {"https://x"},
		"watch-cache-sizes":            {"pods#5", "events#1"},
	}})
	var page map[string]any
	if err := cbor.Unmarshal(s.do("GET", "/flagz", "", "Accept", "application/cbor;v=v1beta1;g=config.k8s.io;as=Flagz").body, &page); err != nil {
		t.Fatal(err)
	}
	flags, _ := page["flags"].(map[string]any)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	text := string(s.do("GET", "/flagz", "").body)
	for name, want := range map[string]string{
		"authorization-mode": "[RBAC,Node]", "disabled-metrics": "[a,b]", "enable-logs-handler": "true", "event-ttl": "1h30m0s",
		"feature-gates": ":C=true,:A=true,kube:B=false,kube:A=false", "runtime-config": "/v1=true,a/v1=,b/v1=false,c/v1=false", "secure-port": port,
		"token-auth-file": "tokens.csv", "service-account-issuer": "[https://x]", "watch-cache-sizes": "[events#1,events.events.k8s.io#0,pods#5]",
		"goaway-chance": "0.01", "max-requests-inflight": "256", "audit-log-batch-throttle-qps": "1.5",
		"allow-privileged": "true", "anonymous-auth": "false", "external-hostname": "192.0.2.2",
		"tls-cert-file": "certificates/apiserver.crt", "tls-private-key-file": "certificates/apiserver.key",
		"request-timeout": "1m0s", "tls-cipher-suites": "[]", "audit-log-maxage": "366",
	} {
		if got := flags[name]; got != want {
			t.Errorf("%s is %v, want %q", name, got, want)
		}
		if !regexp.MustCompile(`\n` + name + `(:|: |=| )` + regexp.QuoteMeta(want) + `\n`).MatchString(text) {
			t.Errorf("%s is not in the text", name)
		}
	}
	if _, shown := flags["listen"]; shown {
		t.Error("a flag that the server does not have is shown")
	}
}

// The forms of earlier releases, whose gates are off by default: as a kube-apiserver 1.35.4 answered, and up to 1.34
// kubernetes/component-base:zpages.
func TestPagesOfOldReleases(t *testing.T) {
	const (
		asked     = ";v=v1alpha1;g=config.k8s.io;as="
		utf8      = "text/plain; charset=utf-8"
		asJSON    = "application/json"
		refused   = "media type not acceptable, must be: text/plain\n"
		warning   = "\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n"
		delimiter = "(:|: |=| )"
		only      = `"message": "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, text/plain"`
	)
	status := func(name, version, paths string) string {
		return "^\n" + name + " statusz" + warning + "\nStarted" + delimiter + " .*\nUp.*\nGo version.*\nBinary version" + delimiter + " " + version + `\.0\nEmulation version` + delimiter + " " + version + "\n" + paths + "$"
	}
	for _, tt := range []struct {
		version, path, accept string
		code                  int
		contentType, want     string
	}{
		{"1.32", "/statusz", "text/plain", 200, utf8, status("kube-apiserver", "1.32", "")},
		{"1.33", "/statusz", "*/*", 200, utf8, status("kube-apiserver", "1.33", "")},
		{"1.34", "/statusz", "application/json, */*", 200, utf8, status("apiserver", "1.34", "Paths"+delimiter+"  /flagz /healthz /livez /readyz /statusz /version\n")},
		{"1.35", "/statusz", "", 200, utf8, status("apiserver", "1.35", "Paths"+delimiter+" /flagz /healthz /livez /readyz /statusz /version\n")},
		{"1.32", "/flagz", "*", 200, utf8, "^\nkube-apiserver flags" + warning + "\nadmission-control" + delimiter + `\[\]` + "(?s:.*)\ncloud-provider" + delimiter + "\n"},
		{"1.33", "/flagz", "text/*;charset=UTF-8;q=0.5", 200, utf8, "\nemulation-forward-compatible" + delimiter + "false\n"},
		{"1.34", "/flagz", "text/plain", 200, utf8, "\ncoordinated-leadership-retry-period" + delimiter + "2s\n"},
		{"1.35", "/flagz", "text/plain", 200, utf8, "^\nkube-apiserver flagz" + warning + "admission-control" + delimiter + `\[\]` + "\n"},
		{"1.34", "/flagz", "", 406, utf8, refused},
		{"1.34", "/statusz", "application/json" + asked + "Statusz", 406, utf8, refused},
		{"1.32", "/statusz", "text/plain;charset=latin1", 406, utf8, refused},
		{"1.35", "/statusz", "*/*", 200, "text/plain", "apiserver statusz"},
		{"1.35", "/flagz", "*/*", 200, utf8, "apiserver flagz"},
		{"1.35", "/statusz", "*/*" + asked + "Statusz", 200, "application/json;g=config.k8s.io;v=v1alpha1;as=Statusz", `^\{"kind":"Statusz","apiVersion":"config.k8s.io/v1alpha1","metadata":\{"name":"apiserver"\}`},
		{"1.35", "/flagz", "application/json" + asked + "Flagz", 200, "application/json;g=config.k8s.io;v=v1alpha1;as=Flagz", `"metadata":\{"name":"kube-apiserver"\}`},
		{"1.35", "/flagz", "application/json;v=v1beta1;g=config.k8s.io;as=Flagz", 406, asJSON, only},
		{"1.35", "/statusz", "application/cbor" + asked + "Statusz", 406, asJSON, only},
		{"1.35", "/statusz", "application/yaml" + asked + "Statusz,application/json", 500, asJSON, `"status":"Failure","message":"content negotiation failed: unsupported media type 'application/yaml'","code":500`},
		{"1.35", "/flagz", "application/vnd.kubernetes.protobuf" + asked + "Flagz", 500, asJSON, `"message": "content negotiation failed: unsupported media type 'application/vnd.kubernetes.protobuf'",
  "code": 500`},
	} {
		s := newServerOfRelease(t, tt.version, map[string]bool{"ComponentStatusz": true, "ComponentFlagz": true}, serve.Options{})
		got := s.do("GET", tt.path, "", "Accept", tt.accept)
		if got.code != tt.code || got.header.Get("Content-Type") != tt.contentType || !regexp.MustCompile(tt.want).Match(got.body) {
			t.Errorf("%s: %s [%s]: %d %s\n%s\nis not like %s", tt.version, tt.path, tt.accept, got.code, got.header.Get("Content-Type"), got.body, tt.want)
		}
		if warned := got.header.Get("Warning"); warned != "" {
			t.Errorf("%s: %s [%s]: warning %s", tt.version, tt.path, tt.accept, warned)
		}
	}
}

// The text about flags is written only once, so its delimiter stays the same.
func TestFlagsPageStays(t *testing.T) {
	s := newServerOfRelease(t, "1.37", nil, serve.Options{})
	first := string(s.do("GET", "/flagz", "").body)
	for range 20 {
		if next := string(s.do("GET", "/flagz", "").body); next != first {
			t.Fatalf("%s\nbecame\n%s", first, next)
		}
	}
}

// Every release that has the gates of the pages has a table of its flags, and shows the pages only if the gates are on.
// By default they are on since 1.36.
func TestReleasesOfPages(t *testing.T) {
	for _, version := range kubeversion.Versions() {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		if release.Minor < 30 {
			continue
		}
		for _, tt := range []struct {
			gates map[string]bool
			shown bool
		}{
			{nil, release.Minor >= 36},
			{map[string]bool{"ComponentStatusz": false, "ComponentFlagz": false}, false},
			{map[string]bool{"ComponentStatusz": true, "ComponentFlagz": true}, true},
		} {
			if tt.gates != nil && release.Minor < 32 {
				continue
			}
			s := newServerOfRelease(t, version, tt.gates, serve.Options{})
			want := 404
			if tt.shown {
				want = 200
			}
			var index struct{ Paths []string }
			if err := json.Unmarshal(s.do("GET", "/", "").body, &index); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"/statusz", "/flagz"} {
				if got := s.do("GET", path, "", "Accept", "*/*"); got.code != want {
					t.Errorf("%s, %v: %s: %d", version, tt.gates, path, got.code)
				}
				if slices.Contains(index.Paths, path) != tt.shown {
					t.Errorf("%s, %v: %s in %v", version, tt.gates, path, index.Paths)
				}
			}
		}
	}
}
