package suitefile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const suite = `apiVersion: admsim.dev/v1alpha1
kind: Suite
cases:
- {name: one, request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}}, expect: {}}
`

// files writes files below a new folder, and makes it the current one.
func files(t *testing.T, all map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range all {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	files(t, map[string]string{
		"admsim.yaml": suite, "a/pods_admsim.yaml": suite, "a/b/admsim.yaml": suite, "a/world.yaml": "", "testdata/admsim.yaml": suite,
		"bug.txtar": "# a bug\n-- in/admsim.yaml --\n" + suite, "script.txtar": "exec admsim\n-- admsim.yaml --\n" + suite, "none.txtar": "-- a.yaml --\n",
	})
	for _, tt := range []struct {
		reason string
		paths  []string
		want   []string
		err    string
	}{
		{reason: "a folder does not include subfolders; an archive that is a script is not a suite", paths: []string{"."}, want: []string{"admsim.yaml", "bug.txtar/in/admsim.yaml"}},
		{reason: "everything below it except testdata", paths: []string{"./..."}, want: []string{"a/b/admsim.yaml", "a/pods_admsim.yaml", "admsim.yaml", "bug.txtar/in/admsim.yaml"}},
		{reason: "a file that is named explicitly is a suite whatever its name", paths: []string{"a/world.yaml"}, want: []string{"a/world.yaml"}},
		{reason: "a file that is named twice counts once", paths: []string{"a", "a/pods_admsim.yaml"}, want: []string{"a/pods_admsim.yaml"}},
		{reason: "an archive that is named explicitly may be a script", paths: []string{"script.txtar"}, want: []string{"script.txtar/admsim.yaml"}},
		{reason: "an archive without a suite", paths: []string{"none.txtar"}, err: "none.txtar: it contains no suite"},
		{reason: "a path that does not exist", paths: []string{"nowhere"}, err: "no such file"},
		{reason: "standard input has no files beside it", paths: []string{"-"}, err: "standard input"},
	} {
		got, err := Find(tt.paths, nil)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: Find(%q) = %v, want %s", tt.reason, tt.paths, err, tt.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got.Names, tt.want) {
			t.Errorf("%s: Find(%q) = %q, %v, want %q", tt.reason, tt.paths, got.Names, err, tt.want)
		}
	}
}

// The hint names a folder further down that has suites.
func TestHint(t *testing.T) {
	files(t, map[string]string{"a/b/admsim.yaml": suite})
	got, err := Find([]string{"a"}, nil)
	if err != nil || len(got.Names) > 0 || got.Hint() != "there are some further down: admsim test a/..." {
		t.Errorf("Find(a) = %q, %v; %s", got.Names, err, got.Hint())
	}
	if !Holds("a") || Holds("nowhere") || !Holds("a/b/admsim.yaml") {
		t.Errorf("Holds = %v, %v, %v, want true, false, true", Holds("a"), Holds("nowhere"), Holds("a/b/admsim.yaml"))
	}
}

// Files that a run changes are written to disk, or into their archive, and nowhere else.
func TestWrite(t *testing.T) {
	files(t, map[string]string{"a/admsim.yaml": suite, "bug.txtar": "# a bug\n-- admsim.yaml --\n" + suite + "-- pod.yaml --\nold\n"})
	found, err := Find([]string{"a", "bug.txtar"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/pod.yaml", "bug.txtar/pod.yaml"} {
		if err := found.Write(name, []byte("new\n")); err != nil {
			t.Errorf("Write(%s) = %v", name, err)
		}
	}
	if err := found.Write("elsewhere.yaml", []byte("new\n")); err == nil || !strings.Contains(err.Error(), "not in the folder of its suite") {
		t.Errorf("Write(elsewhere.yaml) = %v", err)
	}
	if err := found.Save(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile("a/pod.yaml"); err != nil || string(text) != "new\n" {
		t.Errorf("a/pod.yaml is %q, %v", text, err)
	}
	want := "# a bug\n-- admsim.yaml --\n" + suite + "-- pod.yaml --\nnew\n"
	if text, err := os.ReadFile("bug.txtar"); err != nil || string(text) != want {
		t.Errorf("bug.txtar is %q, %v, want %q", text, err, want)
	}
}
