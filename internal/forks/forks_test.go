package forks_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/forks"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

// A server is a test server with forks.
type server struct {
	*testing.T
	url string
}

func newServer(t *testing.T, most int) *server {
	t.Helper()
	var f *forks.Forks
	f = forks.New(forks.Options{Most: most, Make: func(name string, sim *simulator.Simulator) (*forks.Cluster, error) {
		s, err := store.New(sim, store.Options{History: 8})
		if err != nil {
			return nil, err
		}
		h := serve.New(s, serve.Options{Forks: f.Manage, Fork: name, Failed: func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) }})
		return &forks.Cluster{Store: s, Handler: h, End: h.Close}, nil
	}})
	sim, err := simulator.New(simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap())})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Begin(sim); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(f.As(admission.Administrator()))
	t.Cleanup(func() { f.End(); s.Close() })
	return &server{t, s.URL}
}

const maps = "/api/v1/namespaces/default/configmaps"

// do sends a request, and returns the status code and the decoded answer.
func (s *server) do(method, path, body string, header ...string) (code int, answer map[string]any) {
	s.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	_ = json.Unmarshal(text, &answer) // otherwise it is plain text
	return response.StatusCode, answer
}

func (s *server) create(path, name string) (version string) {
	s.Helper()
	code, made := s.do("POST", path, `{"metadata":{"name":"`+name+`"}}`)
	if code != 201 {
		s.Fatalf("creating %s: %v", name, made)
	}
	return made["metadata"].(map[string]any)["resourceVersion"].(string)
}

// names returns the names of the ConfigMaps.
func (s *server) names(prefix string, header ...string) string {
	s.Helper()
	code, list := s.do("GET", prefix+maps, "", header...)
	if code != 200 {
		return fmt.Sprint(code)
	}
	var all []string
	for _, item := range list["items"].([]any) {
		if name := item.(map[string]any)["metadata"].(map[string]any)["name"].(string); name != simulator.RootCA {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

// A fork starts with the state of the cluster. From then on each has its own objects.
func TestForks(t *testing.T) {
	s := newServer(t, 0)
	first := s.create(maps, "a")
	s.create(maps, "b")
	if code, made := s.do("POST", "/forks/now", ""); code != 201 || made["name"] != "now" || made["from"] != nil {
		t.Errorf("a fork: %d %v", code, made)
	}
	if code, made := s.do("POST", "/forks/then?resourceVersion="+first, ""); code != 201 || made["forkedAt"] != first {
		t.Errorf("a fork of an earlier state: %d %v", code, made)
	}
	s.create("/forks/now"+maps, "c")
	if code, made := s.do("POST", "/forks/again?from=now", ""); code != 201 || made["from"] != "now" {
		t.Errorf("a fork of a fork: %d %v", code, made)
	}
	s.create(maps, "d")
	for prefix, want := range map[string]string{"": "a b d", "/forks/now": "a b c", "/forks/then": "a", "/forks/again": "a b c", "/forks/none": "404"} {
		if got := s.names(prefix); got != want {
			t.Errorf("%s has %s, want %s", prefix, got, want)
		}
	}
	if got := s.names("", "Admsim-Fork", "then"); got != "a" {
		t.Errorf("chosen by the header: %s", got)
	}
	if code, list := s.do("GET", "/forks", ""); code != 200 || len(list["items"].([]any)) != 3 {
		t.Errorf("all forks: %d %v", code, list)
	}
	if code, gone := s.do("DELETE", "/forks/now", ""); code != 200 {
		t.Errorf("deleting a fork: %d %v", code, gone)
	}
	if got := s.names("/forks/now"); got != "404" {
		t.Errorf("a deleted fork has %s", got)
	}
	if got := s.names("/forks/again"); got != "a b c" {
		t.Errorf("its own fork has %s", got)
	}
}

// Invalid requests are refused.
func TestRefusals(t *testing.T) {
	s := newServer(t, 2)
	for range 30 { // more writes than are remembered
		s.create(maps, "a")
		s.do("DELETE", maps+"/a", "")
	}
	for _, tt := range []struct {
		method, path string
		code         int
		message      string
	}{
		{"POST", "/forks/A", 400, "name \"A\": a lowercase RFC 1123 label"},
		{"POST", "/forks/a?form=b", 400, `unknown parameter "form": want from or resourceVersion`},
		{"POST", "/forks/a?from=b", 404, `forks.admsim.dev "b" not found`},
		{"POST", "/forks/a?resourceVersion=1", 410, ""},
		{"POST", "/forks/a?resourceVersion=100000", 400, "resourceVersion 100000 is still to come, the latest one is "},
		{"POST", "/forks/a?resourceVersion=x", 400, `invalid resource version: "x"`},
		{"POST", "/forks/a", 201, ""},
		{"POST", "/forks/a", 409, `forks.admsim.dev "a" already exists`},
		{"POST", "/forks/b", 201, ""},
		{"POST", "/forks/c", 429, "there are 2 forks already, and no more are allowed: delete one first"},
		{"DELETE", "/forks/a", 200, ""},
		{"DELETE", "/forks/a", 404, `forks.admsim.dev "a" not found`},
		{"GET", "/forks/a", 404, `forks.admsim.dev "a" not found`},
		{"GET", "/forks/b", 200, ""},
		{"PUT", "/forks/b", 405, "put is not supported on resources of kind"},
		{"GET", "/rewind", 405, ""},
		{"POST", "/rewind", 400, `invalid resource version: ""`},
		{"POST", "/rewind?resourceVersion=1", 410, ""},
		{"GET", "/forks/b/none", 404, ""},
	} {
		code, answer := s.do(tt.method, tt.path, "")
		if message, _ := answer["message"].(string); code != tt.code || !strings.HasPrefix(message, tt.message) {
			t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.path, code, message, tt.code, tt.message)
		}
	}
}

// A rewound cluster has the objects of an earlier state, restored by writes that watches see.
func TestRewind(t *testing.T) {
	s := newServer(t, 0)
	s.do("POST", "/forks/f", "")
	for _, prefix := range []string{"", "/forks/f"} {
		s.create(prefix+maps, "kept")
		s.create(prefix+maps, "changed")
		then := s.create(prefix+maps, "deleted")
		s.do("PATCH", prefix+maps+"/changed", `{"data":{"x":"y"}}`, "Content-Type", "application/merge-patch+json")
		s.do("DELETE", prefix+maps+"/deleted", "")
		now := s.create(prefix+maps, "made")

		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		req, err := http.NewRequestWithContext(ctx, "GET", s.url+prefix+maps+"?watch=1&resourceVersion="+now, nil)
		if err != nil {
			t.Fatal(err)
		}
		watch, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if code, answer := s.do("POST", prefix+"/rewind?resourceVersion="+then, ""); code != 200 || answer["written"] != 3.0 {
			t.Errorf("%s: rewound: %d %v", prefix, code, answer)
		}
		if got := s.names(prefix); got != "changed deleted kept" {
			t.Errorf("%s: afterwards: %s", prefix, got)
		}
		if _, changed := s.do("GET", prefix+maps+"/changed", ""); changed["data"] != nil {
			t.Errorf("%s: what was changed: %v", prefix, changed)
		}
		seen := map[string]bool{}
		for lines := bufio.NewScanner(watch.Body); len(seen) < 3 && lines.Scan(); {
			var e struct {
				Type   string
				Object struct{ Metadata struct{ Name string } }
			}
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			seen[e.Type+" "+e.Object.Metadata.Name] = true
		}
		if want := "map[ADDED deleted:true DELETED made:true MODIFIED changed:true]"; fmt.Sprint(seen) != want {
			t.Errorf("%s: the watch saw %v, want %s", prefix, seen, want)
		}
		cancel()
		watch.Body.Close()
	}
}
