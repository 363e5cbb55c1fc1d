package store_test

import (
	"testing"

	"github.com/admsim/admsim/internal/store"
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
