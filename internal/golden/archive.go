package golden

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// want is the name of a section with the expected result.
const want = "want"

// An Archive is a txtar file: a comment that describes the behavior, and sections, some of which hold the expected
// result of others.
type Archive struct {
	*txtar.Archive
	Path string
}

// Play runs a subtest for each txtar file that matches a pattern, named by the part of the path that the pattern leaves
// open.
func Play(t *testing.T, pattern string, play func(t *testing.T, a *Archive)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	fixed, _, _ := strings.Cut(pattern, "*")
	folder := fixed[:strings.LastIndex(fixed, "/")+1]
	for _, path := range paths {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(path, folder), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			play(t, &Archive{Archive: archive, Path: path})
			if *update {
				write(t, path, txtar.Format(archive))
			}
		})
	}
}

// Folders plays txtar files that are folders: tell turns the files of each into the text that its section want should
// have.
func Folders(t *testing.T, pattern string, observe func(t *testing.T, files fstest.MapFS) string) {
	t.Helper()
	Play(t, pattern, func(t *testing.T, a *Archive) {
		files := fstest.MapFS{}
		for _, f := range a.Files {
			if f.Name != want {
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
		}
		a.Whole(t, observe(t, files))
	})
}

// Whole compares the result of an archive with its only section want.
func (a *Archive) Whole(t *testing.T, got string) {
	t.Helper()
	at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == want })
	if at < 0 {
		if !*update {
			t.Fatal("no section want, -update adds it")
		}
		at, a.Files = len(a.Files), append(a.Files, txtar.File{Name: want})
	}
	a.compare(t, at, strings.TrimSpace(string(a.Comment)), got)
}

// Steps plays the sections one after the other: a section want is the expected result of the section before it.
func (a *Archive) Steps(t *testing.T, observe func(name string, body []byte) string) {
	t.Helper()
	var step, got string
	for i, f := range a.Files {
		if f.Name == want {
			a.compare(t, i, step, got)
			continue
		}
		step, got = f.Name, observe(f.Name, f.Data)
	}
}

// Compare compares a result with a section.
func (a *Archive) Compare(t *testing.T, section int, got string) {
	t.Helper()
	a.compare(t, section, a.Files[section].Name, got)
}

func (a *Archive) compare(t testing.TB, section int, of, got string) {
	t.Helper()
	f := &a.Files[section]
	if diff := cmp.Diff(string(f.Data), got); diff != "" && !*update {
		t.Errorf("%s (-want +got):\n%s", of, diff)
	}
	f.Data = []byte(got)
}
