package manifest

import (
	"os"
	"path/filepath"
	"testing"
)

// A link that replaces a file after it was checked is not followed.
func TestLinkPutAfterwards(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.yaml"), []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "a.yaml")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	l := NewLoader(Options{})
	l.Within, l.In = folder, folder
	if l.leadsOut(name) {
		t.Fatal("a file leads out of its folder")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "a.yaml"), name); err != nil {
		t.Fatal(err)
	}
	if l.File(name); len(l.Errs) != 1 || len(l.Found) > 0 {
		t.Errorf("found %v, errors %v", l.Found, l.Errs)
	}
}
