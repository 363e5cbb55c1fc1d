package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// An odd request is what an unusual client may send. Any of its parts may be invalid.
type odd struct{ method, path, contentType, accept, body string }

var oddRequests = []odd{
	{"GET", "/", "", "", ""},
	{"GET", "/api", "", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", ""},
	{"GET", maps + "?limit=-1&continue=e30", "", "*/*;q=9", ""},
	{"GET", maps + "?limit=99999999999999999999", "", "", ""},
	{"GET", maps + "?watch=1&timeoutSeconds=-9223372036854775808&resourceVersion=9223372036854775807", "", "application/vnd.kubernetes.protobuf;stream=watch", ""},
	{"GET", maps + "?labelSelector=" + strings.Repeat("a,", 2000), "", "", ""},
	{"GET", maps + "?fieldSelector=%00%ff", "", "application/json;as=Table;g=meta.k8s.io;v=v1", ""},
	{"GET", "/api/v1/namespaces/%2e%2e%2f%2e%2e/configmaps/..", "", "", ""},
	{"GET", "/apis/" + strings.Repeat("a/", 500), "", "", ""},
	{"GET", "/api/v1/watch/namespaces/default/configmaps?watch=0", "", "", ""},
	{"POST", maps, "application/json", "", strings.Repeat("[", 100_000)},
	{"POST", maps, "application/json", "", strings.Repeat(`{"metadata":`, 20_000)},
	{"POST", maps, "application/yaml", "", strings.Repeat("- ", 20_000)},
	{"POST", maps, "application/yaml", "", "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]"},
	{"POST", maps, "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf", "k8s\x00\n\xff\xff\xff\xff\x0f"},
	{"POST", maps, "application/cbor", "application/cbor", strings.Repeat("\x81", 9_000) + "\x00"},
	{"POST", maps, "application/cbor", "application/cbor", strings.Repeat("\x81", 100_000)},
	{"POST", maps, "application/cbor", "application/cbor", "\xd9\xd9\xf7\x9b\x7f\xff\xff\xff\xff\xff\xff\xff\x00"},
	{"POST", maps, "application/cbor", "", "\xa2\x41a\x01\x41a\x02"},
	{"PATCH", maps + "/a?fieldManager=a", "application/apply-patch+cbor", "", "\xf6"},
	{"GET", maps + "?watch=1", "", "application/cbor-seq, application/cbor", ""},
	{"POST", maps, "a/b;c=\"", "a/b;;;", "{}"},
	{"PATCH", maps + "/a", "application/json-patch+json", "", `[{"op":"copy","from":"","path":"/data"}]`},
	{"PATCH", maps + "/a?fieldManager=" + strings.Repeat("x", 300), "application/apply-patch+yaml", "", "{apiVersion: v1, kind: ConfigMap}"},
	{"DELETE", maps, "application/json", "", `{"kind":"DeleteOptions","gracePeriodSeconds":-1,"propagationPolicy":"x"}`},
	{"DELETE", "/api/v1/namespaces/default", "", "", ""},
	{"BREW", maps, "", "", ""},
	{"GET", "/openapi/v3/apis/../..", "", "", ""},
	{"POST", "/rewind?resourceVersion=-1", "", "", ""},
	{"GET", "/api/v1/namespaces/default/pods/a/exec?command=x", "", "", ""},
	{"POST", "/api/v1/namespaces/default/serviceaccounts/default/token", "", "", "{}"},
}

// newOddServer returns a handler for odd requests that reports panics as test errors.
func newOddServer(tb testing.TB) http.Handler {
	tb.Helper()
	release, err := kubeversion.Default().With(kubeversion.Flags{FeatureGates: map[string]bool{"CBORServingAndStorage": true}})
	if err != nil {
		tb.Fatal(err)
	}
	sim, err := simulator.New(simulator.Options{Release: release, State: simulator.AssumeControllers(simulator.Bootstrap())})
	if err != nil {
		tb.Fatal(err)
	}
	cluster, err := store.New(sim, store.Options{History: 100})
	if err != nil {
		tb.Fatal(err)
	}
	h := serve.New(cluster, serve.Options{Failed: func(r *http.Request, err error) {
		if strings.HasPrefix(err.Error(), "panic:") {
			tb.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
	}})
	return h.As(admission.Administrator())
}

// send returns the status code of the answer; 0: the connection was closed.
func (o odd) send(h http.Handler) (code int) {
	r, err := http.NewRequest(o.method, "http://server"+o.path, strings.NewReader(o.body))
	if err != nil {
		return http.StatusBadRequest // net/http does not accept such a request
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	r.Header = http.Header{"Content-Type": {o.contentType}, "Accept": {o.accept}}
	w := httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	h.ServeHTTP(w, r.WithContext(ctx))
	return w.Code
}

// Whatever a client sends, it soon gets an answer, or its connection is closed.
func TestOddRequests(t *testing.T) {
	h := newOddServer(t)
	for _, o := range oddRequests {
		began := time.Now()
		code := o.send(h)
		if code != 0 && (code < 200 || code > 599) || time.Since(began) > 10*time.Second {
			t.Errorf("%s %.80s: %d after %v", o.method, o.path, code, time.Since(began))
		}
	}
}

func FuzzServe(f *testing.F) {
	for _, o := range oddRequests {
		f.Add(o.method, o.path, o.contentType, o.accept, o.body)
	}
	h := newOddServer(f)
	f.Fuzz(func(t *testing.T, method, path, contentType, accept, body string) {
		if code := (odd{method, path, contentType, accept, body}).send(h); code != 0 && (code < 200 || code > 599) {
			t.Errorf("%s %q: %d", method, path, code)
		}
	})
}
