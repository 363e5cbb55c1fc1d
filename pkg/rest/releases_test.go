package rest

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// In 1.15 webhooks were not limited by the deadline of the request (W-031).
func TestDeadlineOfReleases(t *testing.T) {
	for version, limited := range map[string]bool{"1.15": false, "1.16": true, "1.36": true} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		x := newExchange(&Server{Release: release}, nil, Request{})
		if got := x.limit > 0; got != limited {
			t.Errorf("%s limits requests: %v, want %v", version, got, limited)
		}
	}
}

// How long requests may take, and what ends them, changed with the releases (W-031, W-032).
func TestTimeoutsOfReleases(t *testing.T) {
	const (
		handler  = "Timeout: request did not complete within requested timeout - context deadline exceeded"
		noDash   = "Timeout: request did not complete within requested timeout context deadline exceeded"
		filtered = "Timeout: request did not complete within the allotted timeout"
	)
	for _, tt := range []struct {
		release, verb, timeout string
		limit                  time.Duration
		message                string
	}{
		{"1.11", Create, "", shorterHandlerTimeout, "Timeout: request did not complete within allowed duration"},
		{"1.11", Create, "90s", time.Minute, "Timeout: request did not complete within 1m0s"},
		{"1.12", Create, "", shorterHandlerTimeout, "Timeout: request did not complete within requested timeout 30s"},
		{"1.20", Create, "", handlerTimeout, "Timeout: request did not complete within requested timeout 34s"},
		{"1.20", Create, "40s", 40 * time.Second, "Timeout: request did not complete within requested timeout 40s"},
		{"1.20", Create, "90s", time.Minute, "Timeout: request did not complete within 1m0s"},
		{"1.20", Create, "soon", handlerTimeout, "Timeout: request did not complete within requested timeout 34s"},
		{"1.20", DeleteCollection, "", handlerTimeout, "Timeout: request did not complete within requested timeout 34s"},
		{"1.21", Create, "", handlerTimeout, noDash},
		{"1.21", Create, "5s", 5 * time.Second, filtered},
		{"1.22", Create, "90s", handlerTimeout, handler},
		{"1.22", DeleteCollection, "", handlerTimeout, handler},
		{"1.24", DeleteCollection, "", time.Minute, filtered},
		{"1.24", DeleteCollection, "34s", handlerTimeout, filtered},
		{"1.37", Delete, "", handlerTimeout, handler},
		{"1.37", Delete, "1s", time.Second, filtered},
	} {
		release, err := kubeversion.Parse(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		req := Request{Verb: tt.verb, Query: url.Values{"timeout": {tt.timeout}}}
		x := newExchange(&Server{Release: release}, nil, req)
		if !release.Has(kubeversion.RequestDeadline) {
			x.limit = req.Limit(release) // only of a request that waits
		}
		status, _ := x.response(x.timeout()).Object.(*metav1.Status)
		if x.limit != tt.limit || status == nil || status.Message != tt.message || (status.Kind == "") != (tt.message == filtered) {
			t.Errorf("%s %s timeout=%s: %v, %+v, want %v, %s", tt.release, tt.verb, tt.timeout, x.limit, status, tt.limit, tt.message)
		}
	}
}

// Up to 1.14 a handler waits a shorter time (W-031).
func TestLimitsOfOldReleases(t *testing.T) {
	for name, want := range map[string]time.Duration{"1.10": 30 * time.Second, "1.14": 30 * time.Second, "1.15": 34 * time.Second} {
		release, err := kubeversion.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Request{Verb: Create}).Limit(release); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A create that is tried again without managedFields has the same generated name, and since 1.31 another one (PL-34).
func TestNamesOfLargeObjects(t *testing.T) {
	for release, want := range map[string]string{"1.30": "some-1 some-1", "1.31": "some-1 some-2"} {
		w := newWorld()
		w.become(t, []string{release})
		server, n := w.server(), 0
		server.Suffix = func() string {
			n++
			return strconv.Itoa(n)
		}
		response, _ := w.do(t, server, "create configmaps shop/ keys=4000 query=fieldManager=me see=metadata.name",
			[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"some-"}}`))
		validated := regexp.MustCompile(`validating CREATE ConfigMap some-\d`).FindAllString(w.plugin.notes.String(), -1)
		names := strings.ReplaceAll(strings.Join(validated, " "), "validating CREATE ConfigMap ", "")
		if names != want || response.Code != 201 {
			t.Errorf("%s: %d, validated as %s, want %s", release, response.Code, names, want)
		}
	}
}

// A kind that k8s.io/api no longer has is too large for etcd at the same size as on servers of 1.15.12 and 1.24.17, and so
// is a kind that it has (PL-34).
func TestLargeFormerKinds(t *testing.T) {
	const policy = `{"metadata": {"name": "p"}, "spec": {"privileged": true, "allowPrivilegeEscalation": true, "volumes": ["*"],
		"hostPorts": [{"min": 1, "max": 65535}], "seLinux": {"rule": "RunAsAny"}, "runAsUser": {"rule": "MustRunAs", "ranges": [{"min": 1, "max": 1048576}]},
		"supplementalGroups": {"rule": "RunAsAny"}, "fsGroup": {"rule": "RunAsAny"}, "runtimeClass": {"allowedRuntimeClassNames": ["*"]},
		"allowedHostPaths": [{"pathPrefix": "/LONG"}]}}`
	const role = `{"metadata": {"name": "p"}, "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["LONG"]}]}`
	for _, test := range []struct {
		release, request, body string
		tooLong                int
	}{
		{"1.15", "create podsecuritypolicies p", policy, 1572550},
		{"1.24", "create podsecuritypolicies p", policy, 1572550},
		{"1.24", "create clusterroles p", role, 1572640},
	} {
		for n, want := range map[int]int{test.tooLong - 1: 201, test.tooLong: 500} {
			w := newWorld()
			w.become(t, []string{test.release})
			server := w.server()
			server.NewUID = func() types.UID { return "00000000-0000-0000-0000-000000000001" }
			response, _ := w.do(t, server, test.request, []byte(strings.Replace(test.body, "LONG", strings.Repeat("a", n), 1)))
			if response.Code != want {
				t.Errorf("%s: %s with %d characters: %d, want %d", test.release, test.request, n, response.Code, want)
			}
		}
	}
}
