package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If the disk is full, the old file stays, and no other file is left.
func TestFull(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	full(t, func() {
		if err := Write(name, []byte(strings.Repeat("new ", 1<<20)), 0o666); err == nil {
			t.Error("4 MiB were written to a full disk")
		} else if at := (*fs.PathError)(nil); !errors.As(err, &at) || at.Path != name {
			t.Errorf("the error is %v, and does not name %s", err, name)
		}
	})
	if got, err := os.ReadFile(name); err != nil || string(got) != "old" {
		t.Errorf("the file is %.20q, %v", got, err)
	}
	if found, err := os.ReadDir(filepath.Dir(name)); err != nil || len(found) != 1 {
		t.Errorf("left over: %v, %v", found, err)
	}
	// Once there is room again, writing works as usual.
	if err := Write(name, []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o640 || info.Size() != 3 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

// A file that is written below a folder is in that folder, whatever links exist.
func TestWriteIn(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{
		"out": filepath.Join(outside, "x"), "up": "../" + filepath.Base(outside) + "/x", "folder": outside, "abs": filepath.Join(folder, "real"), "loop": "loop",
		"link": "deep/../deep/link", "missing": "deep/new",
	} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../real", filepath.Join(folder, "deep", "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"out": "", "up": "", "folder/x": "", "../x": "", "abs": "", "loop": "",
		"real": "real", "link": "real", "missing": "deep/new", "new/folder/x": "new/folder/x",
	} {
		err := WriteIn(folder, name, []byte("to "+name), 0o666)
		if (err == nil) != (want != "") {
			t.Errorf("WriteIn(%s) = %v", name, err)
		}
		if want == "" {
			continue
		}
		if got, err := os.ReadFile(filepath.Join(folder, want)); err != nil || string(got) != "to "+name {
			t.Errorf("%s: %s has %q, %v", name, want, got, err)
		}
	}
	if found, err := os.ReadDir(outside); err != nil || len(found) > 0 {
		t.Errorf("outside: %v, %v", found, err)
	}
	if info, err := os.Lstat(filepath.Join(folder, "link")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is no longer a link: %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".admsim-*")); left != nil {
		t.Errorf("left over: %v", left)
	}
}
