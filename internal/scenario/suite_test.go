package scenario

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/golden"
)

// All suite files in an archive are loaded. The golden text lists their contents, then the errors.
func TestSuites(t *testing.T) {
	golden.Folders(t, "testdata/suites/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		var b strings.Builder
		err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || !manifest.IsSuiteFile(name) {
				return err
			}
			suites, err := LoadSuites(name, manifest.Options{FS: files, Root: "."})
			for _, s := range suites {
				describeSuite(&b, s)
			}
			if err != nil {
				fmt.Fprintln(&b, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

func describeSuite(b *strings.Builder, s Suite) {
	fmt.Fprintf(b, "%s suite %s\n", s.Source, s.Name)
	for _, m := range s.World.Objects {
		fmt.Fprintf(b, "  %s %s\n", m.Source, m)
	}
	for _, one := range s.Backends.List {
		fmt.Fprintf(b, "  %s backend of %s\n", one.Source, one.Webhook)
	}
	for _, c := range s.Cases {
		fmt.Fprintf(b, "%s case %s\n", c.Source, c.Name)
		if !c.Override.Empty() {
			fmt.Fprintf(b, "  override: release %q, %d backends, %d objects\n", c.Override.Release, len(c.Override.Backends.List), len(c.Override.Objects))
		}
		if !c.Matrix.Empty() {
			fmt.Fprintf(b, "  matrix: %v of %q\n", c.Matrix.Axes(), c.Matrix.Webhook)
		}
		for _, step := range c.Steps {
			describeStep(b, step)
		}
	}
}

func describeStep(b *strings.Builder, s CaseStep) {
	if s.Recorded != nil {
		fmt.Fprintf(b, "  %s event\n", s.Recorded.Source)
	} else if s.Request != nil {
		fmt.Fprintf(b, "  %s %s %s, review %t, expand %t\n", s.Request.Source, s.Request.Verb, s.Request.Kind.Kind, s.Request.Review != nil, s.Expand)
	}
	for _, e := range s.Expect {
		fmt.Fprintf(b, "  %s when %v: allowed %t", e.Source, e.When, *e.Allowed)
		if e.Message != nil {
			fmt.Fprintf(b, ", message %s", e.Message)
		}
		if e.Object != nil {
			fmt.Fprintf(b, ", object %q missing %t", e.Object.File, e.Object.Missing)
		}
		fmt.Fprintln(b)
	}
}

// Files that a document names must be inside of the root, even if the root is above the current folder.
func TestInside(t *testing.T) {
	for _, tt := range []struct {
		root, name string
		want       bool
	}{
		{".", "a/b", true},
		{".", "../a", false},
		{".", "/a", false},
		{"a", "a/b", true},
		{"a", "ab/c", false},
		{"..", "a", true},
		{"..", "../a", true},
		{"..", "../../a", false},
		{"../..", "../../a/b", true},
		{"../..", "../../..", false},
		{"../a", "../a/b", true},
		{"../a", "../b", false},
		{"/a", "/a/b", true},
		{"/a", "/b", false},
	} {
		if got := manifest.Inside(tt.root, tt.name); got != tt.want {
			t.Errorf("inside(%q, %q) = %t, want %t", tt.root, tt.name, got, tt.want)
		}
	}
}

func TestMatch(t *testing.T) {
	m := Match{Is: new("a b"), Contains: []string{"a"}, Matches: []string{"b$"}}
	if !m.Holds("a b") || m.Holds("a c") {
		t.Errorf("Holds(%q), Holds(%q) = %t, %t, want true, false", "a b", "a c", m.Holds("a b"), m.Holds("a c"))
	}
	if diff := cmp.Diff(`"a b", containing "a", matching "b$"`, m.String()); diff != "" {
		t.Error(diff)
	}
	if !(Match{Is: new("*")}).Holds("anything") {
		t.Error("a star does not stand for any text")
	}
}

// A suite in a folder that was loaded does not get in the way.
func TestSuiteInFolder(t *testing.T) {
	files := fstest.MapFS{"a_admsim.yaml": {Data: []byte("apiVersion: " + manifest.APIVersion + "\nkind: Suite\n")}}
	found, err := manifest.Load([]string{"."}, manifest.Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	bag, err := Sort(found, manifest.Options{FS: files})
	if err != nil || len(bag.Objects)+len(bag.Requests) > 0 {
		t.Errorf("Sort = %v, %v, want nothing", bag, err)
	}
}
