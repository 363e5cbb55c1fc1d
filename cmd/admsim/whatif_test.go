package main

import (
	"errors"
	"fmt"
	"testing"

	metaschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

func TestUnansweredHint(t *testing.T) {
	widget := &simulator.NotServedError{Kind: metaschema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}}
	for _, c := range []struct {
		why  error
		want string
	}{
		{&dispatch.NoBackendError{}, "--allow-unmatched lets webhooks without a backend allow everything"},
		{fmt.Errorf("the object before: %w", widget), "give the definition of Widget.example.com with -C: admsim snapshot copies the manifests of a real cluster"},
		{errors.New("something else"), ""},
	} {
		if _, got := wordsOf(unanswered([]whatif.RequestError{{Err: c.why}})); got != c.want {
			t.Errorf("hint for %v = %q, want %q", c.why, got, c.want)
		}
	}
}
