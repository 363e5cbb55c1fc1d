package reference

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only old releases need anything of their own, and today's Go has the code that is replaced for them.
func TestOlder(t *testing.T) {
	if got := append(flagsOf(37), readyPath(37)); len(got) != 1 || got[0] != "/readyz" {
		t.Errorf("1.37 needs %v, want no flags and /readyz", got)
	}
	folder := t.TempDir()
	if flags, err := writeOverlay(t.Context(), 19, folder); err != nil || len(flags) > 0 {
		t.Errorf("the overlay of 1.19 is %v, %v, want none", flags, err)
	}
	if flags, err := writeOverlay(t.Context(), 18, folder); err != nil || len(flags) != 1 {
		t.Fatalf("the overlay of 1.18 is %v, %v, want one flag", flags, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "url.go.txt"))
	if err != nil || !strings.Contains(string(text), unquoted) || strings.Contains(string(text), quoted) {
		t.Errorf("the overlay does not write URLs without quotes (%v)", err)
	}
}
