package suitefile

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/scenario"
)

// An archive is a txtar file with suites and everything that they need. Its files are named by its own name and theirs:
// bug.txtar/pods_admsim.yaml.
type archive struct {
	path    string
	files   *txtar.Archive
	tree    fstest.MapFS
	mu      sync.Mutex
	changed bool
}

// archive finds the suites in a txtar file.
func (f *Files) archive(name string) error {
	files, err := txtar.ParseFile(name)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	a := &archive{path: filepath.ToSlash(name), files: files, tree: fstest.MapFS{}}
	found := false
	for _, one := range files.Files {
		if !fs.ValidPath(one.Name) {
			return fmt.Errorf("%s: %q is not a valid file name in an archive", name, one.Name)
		}
		a.tree[one.Name] = &fstest.MapFile{Data: one.Data}
		if scenario.IsSuiteFile(one.Name) {
			found = true
			f.Names = append(f.Names, a.path+"/"+one.Name)
		}
	}
	if !found {
		return hint.Add(fmt.Errorf("%s: it contains no suite", name), "a file in an archive starts with a line such as -- admsim.yaml --; a suite is named admsim.yaml or NAME_admsim.yaml")
	}
	f.archives[a.path] = a
	return nil
}

// archiveOf returns the archive that contains a file, nil if there is none.
func (f *Files) archiveOf(name string) *archive {
	for root, a := range f.archives {
		if strings.HasPrefix(filepath.ToSlash(name), root+"/") {
			return a
		}
	}
	return nil
}

// Open opens a file by its full name.
func (a *archive) Open(name string) (fs.File, error) { return a.tree.Open(a.inside(name)) }

func (a *archive) inside(name string) string {
	inner, ok := strings.CutPrefix(name, a.path)
	if !ok {
		return name
	}
	return path.Clean(strings.TrimPrefix(inner, "/"))
}

// put adds or replaces a file.
func (a *archive) put(name string, data []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed = true
	for i := range a.files.Files {
		if a.files.Files[i].Name == name {
			a.files.Files[i].Data = data
			return
		}
	}
	a.files.Files = append(a.files.Files, txtar.File{Name: name, Data: data})
}
