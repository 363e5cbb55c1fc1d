package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// initializing returns a server with the plugin Initializers, and an initializer a.b.c for all ConfigMaps.
func initializing(t *testing.T) *server {
	t.Helper()
	release, err := kubeversion.Parse("1.13")
	if err == nil {
		release, err = release.With(kubeversion.Flags{RuntimeConfig: map[string]bool{"admissionregistration.k8s.io/v1alpha1": true}})
	}
	if err != nil {
		t.Fatal(err)
	}
	s := newServerOf(t, simulator.Options{
		Release: release, State: simulator.AssumeControllers(simulator.BootstrapOf(release)), Plugins: simulator.Plugins{Enable: []string{"Initializers"}},
	}, store.Options{})
	a := s.do("POST", "/apis/admissionregistration.k8s.io/v1alpha1/initializerconfigurations",
		`{"metadata":{"name":"maps"},"initializers":[{"name":"a.b.c","rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}]}]}`)
	if a.code != 201 {
		t.Fatalf("%s", a.body)
	}
	return s
}

// later creates a ConfigMap, and returns its answer when it comes.
func (s *server) later(name, query string) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		done <- s.do("POST", maps+"?"+query, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q}}`, name))
	}()
	s.until(name+" is stored", func() bool { return s.do("GET", maps+"/"+name, "").code == 200 })
	return done
}

// until waits until something is the case.
func (s *server) until(what string, is func() bool) {
	s.Helper()
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.Fatalf("it does not come about that %s", what)
}

const merge = "application/merge-patch+json"

// A create is answered when another client has initialized its object, or has said why it cannot, or has deleted it, or
// when its time is over (IN-10). Other writes do not end the wait, and neither do those to other objects.
func TestInitialized(t *testing.T) {
	t.Parallel()
	s := initializing(t)
	patched := func(name, text string) {
		t.Helper()
		if a := s.do("PATCH", maps+"/"+name, text, "Content-Type", merge); a.code != 200 {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	good, failed, deleted, late := s.later("good", ""), s.later("failed", ""), s.later("deleted", ""), s.later("late", "timeout=300ms")
	if a := s.do("GET", maps, ""); strings.Contains(string(a.body), `"good"`) {
		t.Errorf("a list shows what is not initialized: %s", a.body)
	}
	if a := <-late; a.code != 504 || a.field("message") != "Timeout: request did not complete within requested timeout 300ms" {
		t.Errorf("late: %d %s", a.code, a.body)
	}
	patched("late", `{"metadata":{"initializers":{"pending":[]}}}`)
	patched("good", `{"data":{"a":"b"}}`)
	select {
	case a := <-good:
		t.Errorf("answered although it is not initialized: %d %s", a.code, a.body)
	case <-time.After(50 * time.Millisecond):
	}
	patched("good", `{"metadata":{"initializers":{"pending":[]}},"data":{"c":"d"}}`)
	patched("failed", `{"metadata":{"initializers":{"result":{"status":"Failure","code":409,"message":"no room"}}}}`)
	if a := s.do("DELETE", maps+"/deleted", ""); a.code != 200 {
		t.Errorf("%s", a.body)
	}
	now := s.do("GET", maps+"/good", "")
	if a := <-good; a.code != 201 || string(a.body) != string(now.body) || now.field("metadata", "initializers") != nil || now.field("data", "c") != "d" {
		t.Errorf("good: %d %s, want the object as it is now: %s", a.code, a.body, now.body)
	}
	if a := <-failed; a.code != 409 || a.field("message") != "no room" || a.field("kind") != "Status" {
		t.Errorf("failed: %d %s", a.code, a.body)
	}
	if a := <-deleted; a.code != 500 || a.field("message") != "Internal error occurred: object deleted while waiting for creation" {
		t.Errorf("deleted: %d %s", a.code, a.body)
	}
	for name, want := range map[string]int{"good": 200, "failed": 404, "deleted": 404, "late": 200} {
		if a := s.do("GET", maps+"/"+name, ""); a.code != want {
			t.Errorf("afterwards, %s: %d, want %d", name, a.code, want)
		}
	}
	if a := s.do("POST", maps+"?includeUninitialized=1", `{"metadata":{"name":"quick"}}`); a.code != 202 {
		t.Errorf("with includeUninitialized: %d %s", a.code, a.body)
	}
}

// A watch sees an object when it becomes initialized, as added; with includeUninitialized it sees all of its writes
// (IN-09). An object whose initialization fails is only seen by the latter.
func TestWatchOfInitialization(t *testing.T) {
	t.Parallel()
	s := initializing(t)
	from := s.do("GET", maps, "").field("metadata", "resourceVersion")
	for _, name := range []string{"good", "bad"} {
		if a := s.do("POST", maps+"?includeUninitialized=1", fmt.Sprintf(`{"metadata":{"name":%q}}`, name)); a.code != 202 {
			t.Fatalf("%s", a.body)
		}
	}
	s.do("PATCH", maps+"/bad", `{"metadata":{"initializers":{"result":{"status":"Failure"}}}}`, "Content-Type", merge)
	s.do("PATCH", maps+"/good", `{"metadata":{"initializers":{"pending":[]}}}`, "Content-Type", merge)
	s.do("PATCH", maps+"/good", `{"data":{"a":"b"}}`, "Content-Type", merge)
	query := fmt.Sprintf("resourceVersion=%v", from)
	if got, want := summary(s.watch(query, 2)), "ADDED good, MODIFIED good"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := summary(s.watch(query+"&includeUninitialized=1", 6)), "ADDED good, ADDED bad, MODIFIED bad, DELETED bad, MODIFIED good, MODIFIED good"; got != want {
		t.Errorf("with includeUninitialized: %s, want %s", got, want)
	}
}

// A create that waits ends without an answer when its client goes away, and when the server ends.
func TestAbandonedInitialization(t *testing.T) {
	t.Parallel()
	s := initializing(t)
	ended := make(chan any, 1)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			ended <- p
			panic(p)
		}()
		s.handler.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	for _, name := range []string{"impatient", "last"} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		req := s.request("POST", maps, fmt.Sprintf(`{"metadata":{"name":%q}}`, name)).WithContext(ctx)
		req.URL.Host = strings.TrimPrefix(front.URL, "http://")
		failed := make(chan error, 1)
		go func() {
			response, err := http.DefaultTransport.RoundTrip(req)
			if err == nil {
				response.Body.Close()
			}
			failed <- err
		}()
		s.until(name+" is stored", func() bool { return s.do("GET", maps+"/"+name, "").code == 200 })
		if name == "impatient" {
			cancel()
		} else {
			s.handler.Close()
		}
		if p := <-ended; p != http.ErrAbortHandler {
			t.Errorf("%s ends with %v", name, p)
		}
		if err := <-failed; err == nil {
			t.Errorf("%s is answered", name)
		}
	}
}
