package wholefile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

const usualMode = 0o666

// The umask decides who may read a new file, and the old file's mode who may read its replacement. Recordings are
// private.
func TestModes(t *testing.T) {
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
		reason         string
		existing, mode fs.FileMode // 0: no file exists
		want           fs.FileMode
	}{
		{"as what a shell writes", 0, usualMode, asUsual},
		{"as it was", 0o600, usualMode, 0o600},
		{"a recording", 0, 0o600, 0o600},
		{"a recording in the place of what all can read", 0o644, 0o600, 0o600},
	} {
		name := filepath.Join(dir, "file")
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if tt.existing != 0 {
			if err := os.WriteFile(name, []byte("old"), tt.existing); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Create(name, tt.mode)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.End(nil); err != nil {
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

// A link stays a link, even if its target has no name any more, as /dev/stdout if the output goes to a deleted file.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	removed, err := os.Create(filepath.Join(dir, "removed"))
	if err != nil {
		t.Fatal(err)
	}
	defer removed.Close()
	if err := os.Remove(removed.Name()); err != nil {
		t.Fatal(err)
	}
	toFile := filepath.Join(dir, "file")
	for _, target := range []string{toFile, filepath.Join(dir, "missing"), fmt.Sprintf("/proc/self/fd/%d", removed.Fd())} {
		if _, err := os.Stat(filepath.Dir(target)); err != nil {
			continue // a system without /proc
		}
		link := filepath.Join(dir, "link")
		if err := os.RemoveAll(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if err := Write(link, []byte("new"), 0o666); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link to %s is no longer a link: %v, %v", target, info.Mode(), err)
		}
		if got, err := os.ReadFile(link); err != nil || string(got) != "new" {
			t.Errorf("through the link to %s: %q, %v", target, got, err)
		}
	}
}
