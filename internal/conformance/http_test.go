package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// TestRecordedOverHTTP sends the recorded requests to admsim's own API server. The answer over HTTP is that of the
// simulator.
func TestRecordedOverHTTP(t *testing.T) {
	dirs := []string{recorded}
	if !testing.Short() {
		folders, err := filepath.Glob(recorded + "/releases/*")
		if err != nil || len(folders) == 0 {
			t.Fatalf("no recordings of other releases: %v", err)
		}
		dirs = append(dirs, folders...)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			recordings := quick(load(t, dir))
			notYet := listIn(t, dir+"/not-yet.txt")
			for i := range recordings {
				playOverHTTP(t, &recordings[i], notYet)
			}
		})
	}
}

func playOverHTTP(t *testing.T, r *Recording, notYet map[string]bool) {
	t.Helper()
	ctx := context.Background()
	backends, err := backendsOf(r)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := world(ctx, r, webhooks{backends: backends, clientConfig: mockedAt(r)})
	if err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	cluster, err := store.New(sim, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var last *serve.Answered
	handler := serve.New(cluster, serve.Options{
		Answered: func(a *serve.Answered) { last = a },
		Failed:   func(_ *http.Request, err error) { t.Errorf("%s: %v", r.ID, err) },
	})
	for i := range r.Requests {
		req := &r.Requests[i]
		last = nil
		found := cluster.Latest()
		got, err := overHTTP(handler, req, found, func() *simulator.Result {
			if last == nil {
				return nil
			}
			return last.Result
		}, r)
		if err != nil {
			t.Errorf("%s/%s: %v", r.ID, req.ID, err)
			continue
		}
		diff := Compare(r, req, got)
		if diff != "" && last != nil && last.Result != nil && last.Result.Undetermined != "" {
			diff = differsFromPossible(t, r, req, found, last.Result, got)
		}
		if diff != "" && !notYet[r.ID+"/"+req.ID] {
			t.Errorf("%s/%s differs from the server over HTTP (-server +admsim):\n%s", r.ID, req.ID, diff)
		}
		if last == nil || last.Result == nil {
			continue
		}
		if err := settleStore(cluster, r, found, last.Result); err != nil {
			t.Fatal(err)
		}
	}
}

// differsFromPossible returns how an answer over HTTP differs from that of the simulator, for a recording that has
// another of the possible answers.
func differsFromPossible(t *testing.T, r *Recording, req *Request, found *simulator.Simulator, result *simulator.Result, got map[string]any) string {
	t.Helper()
	types := result.Next.View().Types()
	inside, err := observed(types, result.Response, r)
	if err != nil {
		t.Fatal(err)
	}
	o := &Outcome{Recording: r, Request: req}
	if o.Diff, err = o.judge(types, result); err != nil {
		t.Fatal(err)
	}
	if o.Diff != "" {
		asked, err := req.request(found)
		if err == nil {
			err = o.follow(t.Context(), found, asked)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return o.Diff + Difference(Normalize(clone(inside)), Normalize(clone(got)))
}

// settleStore updates the store to the state that the next request of the recording finds.
func settleStore(s *store.Store, r *Recording, found *simulator.Simulator, result *simulator.Result) error {
	return s.Write(func(sim *simulator.Simulator) (*cluster.State, error) {
		after := *result
		after.Next = sim
		next, err := found.After(&after)
		if err == nil {
			next, err = settled(r, next)
		}
		if err != nil {
			return nil, err
		}
		return next.State(), nil
	})
}

// overHTTP sends a request over HTTP, and returns the server's answer in the form of a recording's `expect`.
func overHTTP(h *serve.Handler, r *Request, found *simulator.Simulator, result func() *simulator.Result, of *Recording) (map[string]any, error) {
	body, err := r.Body(simulated{found})
	if err != nil {
		return nil, err
	}
	path := "/api/" + r.Version
	if r.Group != "" {
		path = "/apis/" + r.Group + "/" + r.Version
	}
	if r.Namespace != "" {
		path += "/namespaces/" + r.Namespace
	}
	path += "/" + r.Resource
	if r.Name != "" {
		path += "/" + r.Name
	}
	if r.Subresource != "" {
		path += "/" + r.Subresource
	}
	if r.Query != "" {
		path += "?" + r.Query
	}
	req := httptest.NewRequest(r.Method(), path, bytes.NewReader(body))
	req.Header.Set("User-Agent", "admsim") // as the recorder does
	if body != nil {
		req.Header.Set("Content-Type", r.ContentType())
	}
	answer := httptest.NewRecorder()
	h.As(r.Sender()).ServeHTTP(answer, req)

	expect := map[string]any{"code": float64(answer.Code)}
	var object any
	if json.Unmarshal(answer.Body.Bytes(), &object) != nil {
		object = answer.Body.String()
	}
	expect["body"] = object
	warnings, _ := utilnet.ParseWarningHeaders(answer.Header()["Warning"])
	var texts []any
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	if len(texts) > 0 {
		expect["warnings"] = texts
	}
	done := result()
	if done == nil {
		return expect, nil
	}
	inside, err := observed(done.Next.View().Types(), done.Response, of)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{"auditAnnotations", "calls"} {
		if inside[part] != nil {
			expect[part] = inside[part]
		}
	}
	return expect, nil
}
