package tests

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newModule returns tests of a package that write a line for each of its calls, and fail.
func newModule(t *testing.T) Options {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module " + Module + "\n\ngo 1.26\n",
		"lines/lines.go": string(Lines),
		"cats/cats.go":   "package cats\n",
		"cats/cats_test.go": `package cats

import (
	"testing"

	"admsim.example/harvest/lines"
)

func TestCats(t *testing.T) {
	for _, name := range []string{"tom", "tom", "a very long name"} {
		if err := lines.Write(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Fail()
}
`,
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Options{Folder: folder, Packages: []string{Module + "/cats"}, Progress: io.Discard}
}

// What tests write is known afterwards, even if they fail. They run once, and what an interrupted run left is replaced.
func TestRun(t *testing.T) {
	o := newModule(t)
	run := func(longest int) string {
		t.Helper()
		if err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		lines, err := o.Written(longest)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "")
	}
	const all = "\"a very long name\"\n\"tom\"\n"
	if got := run(0); got != all {
		t.Fatalf("the tests wrote %q, want %q", got, all)
	}
	if got := run(10); got != "\"tom\"\n" {
		t.Errorf("short lines are %q", got)
	}
	files, err := filepath.Glob(filepath.Join(o.recorded(), "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the files are %v, %v; want one", files, err)
	}
	if err := os.WriteFile(files[0], []byte("\"half\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(0); got != "\"half\"\n" {
		t.Errorf("a package that completed ran again: %q", got)
	}
	if err := os.Remove(o.tested(o.Packages[0])); err != nil {
		t.Fatal(err)
	}
	if got := run(0); got != all {
		t.Errorf("after an interrupted run, the tests wrote %q, want %q", got, all)
	}
	o.Packages = slices.Delete(o.Packages, 0, 1)
	if err := Run(t.Context(), o); err == nil {
		t.Error("no tests are no error")
	}
}
