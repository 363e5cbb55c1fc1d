package text

import (
	"slices"
	"testing"

	"github.com/admsim/admsim/internal/replay/lines"
)

// Differences in verdicts come first, however frequent other differences are.
func TestKindsInOrder(t *testing.T) {
	kinds := map[string]*lines.Kind{
		"object":   {What: lines.Object, Requests: 800},
		"allowed":  {What: lines.Allowed, Requests: 1},
		"denied":   {What: lines.Allowed, DeniedBy: "policy", Requests: 5},
		"webhooks": {What: lines.Webhooks, Requests: 900},
	}
	want := []string{"denied", "allowed", "webhooks", "object"}
	if got := (lines.Summary{Kinds: kinds}).KindsInOrder(); !slices.Equal(got, want) {
		t.Errorf("kindsInOrder() = %v, want %v", got, want)
	}
}
