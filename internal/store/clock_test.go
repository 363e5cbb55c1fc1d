package store_test

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// What the server remembers, it remembers on the clock of the simulator.
func TestLookupsExpireOnSimulatedClock(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sim, err := simulator.New(simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(sim, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create := rest.Request{
		Verb: rest.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespace: "default",
		Body: []byte(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "p-"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}`),
	}
	for _, tt := range []struct {
		after time.Duration
		asks  bool
	}{{0, true}, {29 * time.Second, false}, {2 * time.Second, true}} {
		now = now.Add(tt.after)
		result, err := s.Do(t.Context(), create)
		if err != nil {
			t.Fatal(err)
		}
		asks := slices.ContainsFunc(result.Sent, func(sent trace.Sent) bool { return sent.Resource.Resource == "limitranges" })
		if asks != tt.asks {
			t.Errorf("after %s, the server asks itself: %v, want %v (code %d)", tt.after, asks, tt.asks, result.Code)
		}
	}
}
