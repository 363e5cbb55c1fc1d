package upstream

import "testing"

// Only old releases need modules in other versions.
func TestOlder(t *testing.T) {
	if got := len(raisedFor(15)); got != 2 {
		t.Errorf("1.15 needs %d modules in other versions, want 2", got)
	}
	if got := raisedFor(24); len(got) > 0 {
		t.Errorf("1.24 needs %v in other versions, want none", got)
	}
}
