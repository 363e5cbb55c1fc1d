// Package suitefile finds the files that hold suites, loads them, and writes the files that running suites changes.
//
// Start with [Find]. A suite is in a file named admsim.yaml or NAME_admsim.yaml, or in a txtar archive with everything
// that it needs. The package knows nothing about the answers that suites expect.
package suitefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
)

// Files are the files that hold suites.
type Files struct {
	Names    []string
	archives map[string]*archive
	below    []string // folders with suites only in subfolders

	exclude projectfiles.Exclusions // from folders

	// PassedOver is called for each file of a folder that a world loads without it. It may be nil.
	PassedOver func(name string)
}

// A Loaded holds the suites of one file, or the error in it.
type Loaded struct {
	File   string
	Suites []scenario.Suite
	Err    error
}

// New returns an empty list of files. exclude is left out of folders.
func New(exclude projectfiles.Exclusions) *Files {
	return &Files{archives: map[string]*archive{}, exclude: exclude}
}

// Find finds the suite files that paths name: the paths themselves, the files in a folder, or with FOLDER/... those in
// it and below it.
func Find(paths []string, exclude projectfiles.Exclusions) (*Files, error) {
	f := New(exclude)
	var errs []error
	for _, path := range paths {
		if err := f.Add(path); err != nil {
			errs = append(errs, err)
		}
	}
	slices.Sort(f.Names)
	f.Names = slices.Compact(f.Names)
	return f, errors.Join(errs...)
}

// Add adds the files that a path names.
func (f *Files) Add(path string) error {
	folder, all := strings.CutSuffix(filepath.ToSlash(path), "/...")
	if path == "..." {
		folder, all = ".", true
	}
	info, err := os.Stat(folder)
	switch {
	case path == "-":
		return hint.Add(errors.New("suites are not read from standard input: they have files beside them"), "name a file, a folder or a txtar archive")
	case err != nil:
		return err
	case !info.IsDir() && strings.HasSuffix(folder, ".txtar"):
		return f.archive(filepath.Clean(folder))
	case !info.IsDir():
		f.Names = append(f.Names, filepath.Clean(folder))
		return nil
	}
	return f.AddFolder(filepath.Clean(folder), all)
}

// AddFolder adds the suites in a folder and, if all is set, below it. Like go test with ..., it leaves out some
// folders, and also other people's code. As among manifests, a link to a file is read, and a link to a folder is not
// followed.
func (f *Files) AddFolder(folder string, all bool) error {
	here := len(f.Names)
	err := Walk(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != folder && (!all || LeftOut(d.Name()) || f.exclude.Match(name)):
			return fs.SkipDir
		case d.IsDir() || !Is(name) || f.exclude.Match(name):
			return nil
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
		case strings.Contains(name, "\n"):
			return hint.Add(fmt.Errorf("the name of the suite file %q has a line break", name), "rename it: results show names in lines of their own")
		case d.Type()&fs.ModeSymlink != 0 && projectfiles.LeadsOut(folder, name):
			return hint.Add(fmt.Errorf("%s is a link that leads out of %s", name, folder), "put the file itself there, or name the folder that holds both")
		case scenario.IsSuiteFile(name):
			f.Names = append(f.Names, name)
		case isSuiteArchive(name):
			return f.archive(name)
		}
		return nil
	})
	if err == nil && !all && len(f.Names) == here && suitesBelow(folder) {
		f.below = append(f.below, folder)
	}
	return err
}

// Walk is [filepath.WalkDir], except that it follows a root that is a link.
func Walk(folder string, visit fs.WalkDirFunc) error {
	root := folder
	if info, err := os.Stat(folder); err == nil && info.IsDir() {
		root += string(filepath.Separator)
	}
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if name == root {
			name = folder
		}
		return visit(name, d, err)
	})
}

func suitesBelow(folder string) (found bool) {
	_ = Walk(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil, d.IsDir() && name != folder && LeftOut(d.Name()):
			return fs.SkipDir
		case !d.IsDir() && scenario.IsSuiteFile(name):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// LeftOut reports whether folders of that name are left out of ..., as go test leaves them out.
func LeftOut(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || slices.Contains([]string{"testdata", "node_modules", "vendor"}, folder)
}

// Hint returns a hint if no suites were found.
func (f *Files) Hint() string {
	if len(f.below) > 0 {
		return fmt.Sprintf("there are some further down: admsim test %s/...", f.below[0])
	}
	return "suites are files named admsim.yaml or NAME_admsim.yaml; --allow-empty accepts a run without suites"
}

// Load loads every file. It sets the options that say where files are.
func (f *Files) Load(reading scenario.Options) []Loaded {
	var all []Loaded
	for _, name := range f.Names {
		o := reading
		o.FS, o.Stdin, o.Root, o.PassedOver = nil, nil, projectfiles.RootOf(name), f.PassedOver
		if a := f.archiveOf(name); a != nil {
			o.FS, o.Root, o.Opened = a, a.path, nil
			if reading.Opened != nil {
				reading.Opened(a.path)
			}
		}
		suites, err := scenario.LoadSuites(filepath.ToSlash(name), o)
		all = append(all, Loaded{name, suites, err})
	}
	return all
}

// Roots returns the folders that the files may read from.
func (f *Files) Roots() (all []string) {
	for _, name := range f.Names {
		if a := f.archiveOf(name); a != nil {
			name = a.path
		}
		if root := projectfiles.RootOf(name); !slices.Contains(all, root) {
			all = append(all, root)
		}
	}
	return all
}

// Write writes the file of an object, on disk or in an archive.
func (f *Files) Write(name string, data []byte) error {
	if a := f.archiveOf(name); a != nil {
		a.put(strings.TrimPrefix(name, a.path+"/"), data)
		return nil
	}
	for _, suite := range f.Names {
		folder := filepath.Dir(suite)
		below, err := filepath.Rel(folder, filepath.FromSlash(name))
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		err = wholefile.WriteIn(folder, below, data, mode)
		if wholefile.LeadsOut(err) {
			return hint.Add(fmt.Errorf("%s: a link that leads out of %s is not written through", name, folder), "put a file in its place")
		}
		return err
	}
	return hint.Add(fmt.Errorf("%s is not in the folder of its suite, and not written", name), "move it there, or write it yourself")
}

// Save writes the archives that changed.
func (f *Files) Save() error {
	var errs []error
	for _, a := range f.archives {
		if a.changed {
			errs = append(errs, wholefile.Write(a.path, txtar.Format(a.files), mode))
		}
	}
	return errors.Join(errs...)
}

// isSuiteArchive reports whether an archive is meant to be run as a suite: it contains one, and the text before its
// files is not a script.
func isSuiteArchive(name string) bool {
	a, err := txtar.ParseFile(name)
	if err != nil || !slices.ContainsFunc(a.Files, func(f txtar.File) bool { return scenario.IsSuiteFile(f.Name) }) {
		return false
	}
	for line := range bytes.Lines(a.Comment) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// Is reports whether a file that is named explicitly is read as suites.
func Is(path string) bool {
	return scenario.IsSuiteFile(path) || strings.HasSuffix(path, ".txtar")
}

// Holds reports whether a path leads to suites.
func Holds(path string) bool {
	folder := strings.TrimSuffix(path, "/...")
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return err == nil && Is(path)
	}
	files := New(nil)
	return files.AddFolder(filepath.Clean(folder), true) == nil && len(files.Names) > 0
}

// mode is the mode of readable files; the umask restricts it.
const mode = 0o666
