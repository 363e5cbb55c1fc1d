package store_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A create that waits for an initialization (IN-10) finds out how it ended, even if the write that ended it is forgotten.
func TestForgottenInitialization(t *testing.T) {
	release, err := kubeversion.Parse("1.13")
	if err != nil {
		t.Fatal(err)
	}
	sim, err := simulator.New(simulator.Options{Release: release, State: simulator.BootstrapOf(release), Plugins: simulator.Plugins{Enable: []string{"Initializers"}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(sim, store.Options{History: 1})
	if err != nil {
		t.Fatal(err)
	}
	const pending = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","initializers":{"pending":[{"name":"a.b.c"}]}}}`
	created := do(t, s, rest.Create, "", pending)
	if created.Waits == 0 {
		t.Fatalf("the create does not wait: %d", created.Code)
	}
	do(t, s, rest.Patch, "a", `{"metadata":{"initializers":null},"data":{"by":"another client"}}`)
	for _, name := range []string{"b", "c", "d", "e"} {
		do(t, s, rest.Create, "", named(name))
	}
	if _, _, _, err := s.Since(created.State.Writes()); err == nil {
		t.Fatal("nothing is forgotten")
	}
	answer, err := s.Initialized(t.Context(), created)
	if err != nil || answer.Code != 201 {
		t.Errorf("answered with %v, %v", answer, err)
	}
}

// A service has its address while its creation waits. Others get it when the time of the create is over, when its client is
// gone, or when the service says that its initialization failed, but not when it becomes initialized (IN-14).
func TestAddressOfWaitingService(t *testing.T) {
	release, err := kubeversion.Parse("1.13")
	if err != nil {
		t.Fatal(err)
	}
	sim, err := simulator.New(simulator.Options{Release: release, State: simulator.BootstrapOf(release), Plugins: simulator.Plugins{Enable: []string{"Initializers"}}})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		reason, timeout, patch string
		ctx                    context.Context
		frees                  bool
	}{
		{"in time", "30s", `{"metadata":{"initializers":null}}`, t.Context(), false},
		{"failed", "30s", `{"metadata":{"initializers":{"result":{"status":"Failure"}}}}`, t.Context(), true},
		{"never", "10ms", "", t.Context(), true},
		{"without its client", "30s", "", gone, true},
	} {
		s, err := store.New(sim, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(verb, name, body string) *simulator.Result {
			t.Helper()
			result, err := s.Do(t.Context(), rest.Request{
				Verb: verb, Resource: corev1.SchemeGroupVersion.WithResource("services"), Namespace: "default", Name: name, Body: []byte(body),
				PatchType: rest.MergePatch, User: admission.Administrator(), Query: url.Values{"timeout": {tt.timeout}},
			})
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		const service = `{"metadata":{"name":"%s"%s},"spec":{"clusterIP":"10.0.0.99","ports":[{"port":80}]}}`
		waiting := ask(rest.Create, "", fmt.Sprintf(service, "waiting", `,"initializers":{"pending":[{"name":"a.b.c"}]}`))
		if meanwhile := ask(rest.Create, "", fmt.Sprintf(service, "meanwhile", "")); waiting.Waits == 0 || meanwhile.Code != 422 {
			t.Errorf("%s: while the create waits for %v, another one is answered with %d", tt.reason, waiting.Waits, meanwhile.Code)
		}
		if tt.patch != "" {
			ask(rest.Patch, "waiting", tt.patch)
		}
		if _, err := s.Initialized(tt.ctx, waiting); err != tt.ctx.Err() {
			t.Error(err)
		}
		if later := ask(rest.Create, "", fmt.Sprintf(service, "later", "")); later.Code == 201 != tt.frees {
			t.Errorf("%s: afterwards, another create is answered with %d, want that the address is free: %v", tt.reason, later.Code, tt.frees)
		}
	}
}
