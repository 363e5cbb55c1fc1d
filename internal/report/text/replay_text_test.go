package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
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

// A long message is cut, unless everything is shown.
func TestLongMessages(t *testing.T) {
	l := &lines.Line{Outcome: lines.Differs, Differences: []lines.Difference{{What: lines.Allowed, Denied: &lines.Denied{Message: strings.Repeat("why ", 100) + "the-end"}}}}
	var s lines.Summary
	s.Add(l)
	for _, verbose := range []bool{false, true} {
		if text := replayText(s, document.Options{Verbose: verbose}); strings.Contains(text, "the-end") != verbose {
			t.Errorf("verbose %v:\n%s", verbose, text)
		}
	}
}
