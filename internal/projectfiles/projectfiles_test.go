package projectfiles

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Files in a folder are read, also through links, and no others.
func TestOpenIn(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	write := func(name string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("content"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(outside, "x"), filepath.Join(folder, "a"), filepath.Join(folder, "deep", "b"), filepath.Join(folder, ".git", "config")} {
		write(name)
	}
	for name, to := range map[string]string{
		"out": filepath.Join(outside, "x"), "folder": outside, "up": "../" + filepath.Base(outside) + "/x", "in": "deep/b", "absolute": filepath.Join(folder, "a"),
		"token": ".git/config", "loop": "loop", "nowhere": "missing", "round": "deep/../a",
	} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		"a": true, "deep/b": true, "in": true, "absolute": true, "round": true, "deep/../a": true,
		"out": false, "folder/x": false, "up": false, "token": false, ".git/config": false, "loop": false, "nowhere": false, "missing": false, "../" + filepath.Base(outside) + "/x": false,
	} {
		f, err := OpenIn(folder, filepath.Join(folder, name))
		if (err == nil) != want {
			t.Errorf("OpenIn(%s) = %v, want it read: %t", name, err, want)
		}
		if err != nil {
			continue
		}
		if data, err := io.ReadAll(f); err != nil || string(data) != "content" {
			t.Errorf("%s has %q, %v", name, data, err)
		}
		f.Close()
	}
}
