package scenario

import (
	"os"
	"path/filepath"
	"testing"
)

// A link that takes the place of a file after somebody looked leads nowhere.
func TestLinkPutAfterwards(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.yaml"), []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "a.yaml")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	l := newLoader(Options{})
	l.root, l.within = folder, folder
	if l.leadsOut(name) {
		t.Fatal("a file leads out of its folder")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "a.yaml"), name); err != nil {
		t.Fatal(err)
	}
	if l.file(name); len(l.errs) != 1 || len(l.found) > 0 {
		t.Errorf("found %v, errors %v", l.found, l.errs)
	}
}
