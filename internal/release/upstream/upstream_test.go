package upstream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A release has three numbers; the hint has an example.
func TestDownloadOfNoRelease(t *testing.T) {
	for _, version := range []string{"", "1.37", "37.2", "1.37.x", "v2.0.0"} {
		if _, err := Download(t.Context(), version); err == nil || !strings.Contains(err.Error(), "such as 1.37.2") {
			t.Errorf("Download(%q) = %v, want an error with an example", version, err)
		}
	}
}

// The staging modules of a release are folders for its own go.mod. Published, they have version v0 with the release's
// other numbers.
func TestReadGoMod(t *testing.T) {
	name := filepath.Join(t.TempDir(), "go.mod")
	const text = `module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
	github.com/a/b v1.0.0
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.1.0 // indirect
)

replace k8s.io/api => ./staging/src/k8s.io/api

replace github.com/a/b => github.com/a/b v0.9.0
`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Release{Godebug: map[string]string{}, Staging: map[string]string{}, Pins: map[string]string{}}
	if err := r.readGoMod(t.Context(), name, "v0.37.2"); err != nil {
		t.Fatal(err)
	}
	if pin := r.Pins["github.com/a/b"]; pin != "github.com/a/b v0.9.0" || len(r.Pins) != 1 {
		t.Errorf("the pins are %v, want v0.9.0 of github.com/a/b", r.Pins)
	}
	if r.Go != "1.26.0" || r.Godebug["default"] != "go1.26" || len(r.Staging) != 1 || r.Staging["k8s.io/api"] != "v0.37.2" {
		t.Errorf("readGoMod read %+v", r)
	}
	want := []Module{{"github.com/a/b", "v1.0.0", false}, {"k8s.io/api", "v0.37.2", false}, {"k8s.io/klog/v2", "v2.1.0", true}}
	for i := range want {
		if i >= len(r.Require) || r.Require[i] != want[i] {
			t.Fatalf("the requirements are %+v, want %+v", r.Require, want)
		}
	}
}

// The go.mod of a release refers to folders for its staging modules; ours refers to what was published, or to the given
// replacements. Other modules keep the version that the release pins.
func TestModule(t *testing.T) {
	got := (&Release{
		Version: "1.37.2", Minor: 37, Go: "1.26.0", Godebug: map[string]string{"default": "go1.26"},
		Require: []Module{{Path: "github.com/a/b", Version: "v1.0.0"}, {Path: "k8s.io/api", Version: "v0.37.2", Indirect: true}},
		Staging: map[string]string{"k8s.io/api": "v0.37.2", "k8s.io/a": "v0.37.2"},
		Pins:    map[string]string{"github.com/a/b": "github.com/a/b v0.9.0", "github.com/c/d": "github.com/c/d v0.9.0"},
	}).Module("reference", map[string]string{"k8s.io/a": "./a", "github.com/c/d": "github.com/c/d v1.1.0"})
	const want = `module reference

go 1.26.0

godebug default=go1.26
require (
	k8s.io/kubernetes v1.37.2
	github.com/a/b v1.0.0
	k8s.io/api v0.37.2 // indirect
)

replace (
	github.com/a/b => github.com/a/b v0.9.0
	github.com/c/d => github.com/c/d v1.1.0
	k8s.io/a => ./a
	k8s.io/api => k8s.io/api v0.37.2
)
`
	if got != want {
		t.Errorf("Module is\n%s\nwant\n%s", got, want)
	}
}

// Releases up to 1.14 have no go.mod, and their staging modules are folders in the release.
func TestReleaseWithoutGoMod(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "go.mod")
	if err := os.WriteFile(name, []byte("module k8s.io/kubernetes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Release{Dir: dir, Godebug: map[string]string{}, Staging: map[string]string{}}
	if err := r.readGoMod(t.Context(), name, "v0.14.10"); err == nil {
		t.Error("no error for a release without staging modules")
	}
	if err := os.MkdirAll(filepath.Join(dir, stagingTree), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.readGoMod(t.Context(), name, "v0.14.10"); err != nil {
		t.Fatal(err)
	}
	got, err := r.File(t.Context(), "apiserver", "pkg/admission/chain.go")
	if want := filepath.Join(dir, "staging/src/k8s.io/apiserver/pkg/admission/chain.go"); err != nil || got != want {
		t.Errorf("File is %s, %v, want %s", got, err, want)
	}
}

// A minor version alone is not a release.
func TestMinorOf(t *testing.T) {
	if got, err := MinorOf("1.37.2"); err != nil || got != "1.37" {
		t.Errorf("got %s, %v, want 1.37", got, err)
	}
	for _, bad := range []string{"1.37", "", "v1.37.2", "1.37.x"} {
		if got, err := MinorOf(bad); err == nil {
			t.Errorf("%q has the minor version %s, want an error", bad, got)
		}
	}
}
