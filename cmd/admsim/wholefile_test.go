package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Who may read a file is the umask's to say, and where one is replaced its own; recordings are
// for nobody else.
func TestWholeFileModes(t *testing.T) {
	dir := t.TempDir()
	usual := filepath.Join(dir, "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(usual)
	if err != nil {
		t.Fatal(err)
	}
	asUsual := info.Mode()
	for _, tt := range []struct {
		reason      string
		there, mode fs.FileMode // there: 0 where there is no file
		want        fs.FileMode
	}{
		{"as what a shell writes", 0, resultMode, asUsual},
		{"as it was", 0o600, resultMode, 0o600},
		{"a recording", 0, 0o600, 0o600},
		{"a recording in the place of what all can read", 0o644, 0o600, 0o600},
	} {
		name := filepath.Join(dir, "file")
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if tt.there != 0 {
			if err := os.WriteFile(name, []byte("old"), tt.there); err != nil {
				t.Fatal(err)
			}
		}
		f, err := createWhole(name, tt.mode)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.end(nil); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != tt.want {
			t.Errorf("%s: mode %v, want %v", tt.reason, info.Mode(), tt.want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".admsim-*")); err != nil || left != nil {
		t.Errorf("left over: %v, %v", left, err)
	}
}
