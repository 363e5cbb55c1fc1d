package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPackages(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a/a.go":          "package a; func f() { go f() }",
		"b/b_test.go":     "package b; func TestB(t *testing.T) { t.Parallel() }",
		"c/c.go":          "package c; import \"sync\"; var m sync.Mutex",
		"d/d.go":          "package d",
		"e/testdata/e.go": "package e; func f() { go f() }",
		"f/go.mod":        "module f",
		"f/f.go":          "package f; func f() { go f() }",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := packages([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

// Packages that are known to be concurrent are found.
func TestOurPackages(t *testing.T) {
	got, err := packages([]string{"../../../pkg", "../../../internal"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pkg/dispatch", "pkg/expression", "pkg/simulator", "internal/process", "internal/recorder", "internal/replay", "internal/whatif/latency"} {
		if !slices.Contains(got, filepath.FromSlash("../../../"+name)) {
			t.Errorf("%s is missing among %q", name, got)
		}
	}
}
