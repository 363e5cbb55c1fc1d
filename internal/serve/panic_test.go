package serve_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

// A request that meets a bug gets an internal error, and the bug is reported as one.
func TestPanic(t *testing.T) {
	sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := store.New(sim, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	h := serve.New(cluster, serve.Options{
		Tokens:  map[string]authenticationv1.UserInfo{"secret": admission.Administrator()},
		Settled: func(context.Context, int64) { panic("broken") },
		Failed:  func(_ *http.Request, err error) { failed = err },
	})
	defer h.Close()
	r := httptest.NewRequest(http.MethodPost, "/api/v1/namespaces", strings.NewReader(`{"metadata":{"name":"shop"}}`))
	r.Header.Set("Authorization", "Bearer secret")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	panicked := (*serve.PanicError)(nil)
	if w.Code != http.StatusInternalServerError || !errors.As(failed, &panicked) || panicked.Value != "broken" {
		t.Errorf("answered %d, reported %v", w.Code, failed)
	}
}
