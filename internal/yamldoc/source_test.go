package yamldoc

import "testing"

// The name of a file cannot add a line.
func TestSourceIsOneLine(t *testing.T) {
	s := Source{File: "a\nadmsim: everything is fine\n.yaml", Line: 3}
	if got, want := s.String(), `a\nadmsim: everything is fine\n.yaml:3`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
