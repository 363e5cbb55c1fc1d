package suitefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The name of a file cannot add lines to results.
func TestNamesAreOneLine(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "g\nPASS\n_admsim.yaml")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Skip(err) // not every system has such names
	}
	var files Files
	err := files.AddFolder(folder, true)
	if err == nil || !strings.Contains(err.Error(), `g\nPASS\n_admsim.yaml" has a line break`) {
		t.Errorf("%v", err)
	}
}
