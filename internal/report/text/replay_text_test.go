package text

import (
	"slices"
	"testing"

	"github.com/admsim/admsim/internal/replay"
	"github.com/admsim/admsim/internal/report/document"
)

// What is denied or allowed comes first, however often other things differ.
func TestKindsInOrder(t *testing.T) {
	kinds := map[string]*replay.Kind{
		"object":   {What: replay.Object, Requests: 800},
		"allowed":  {What: replay.Allowed, Requests: 1},
		"denied":   {What: replay.Allowed, DeniedBy: "policy", Requests: 5},
		"webhooks": {What: replay.Webhooks, Requests: 900},
	}
	want := []string{"denied", "allowed", "webhooks", "object"}
	if got := document.KindsInOrder(kinds); !slices.Equal(got, want) {
		t.Errorf("kindsInOrder() = %v, want %v", got, want)
	}
}
