package main

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

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
)

// suiteFiles are the files that hold suites.
type suiteFiles struct {
	names    []string
	archives map[string]*archive
	below    []string // folders that have suites only further down

	passedOver func(name string) // told of what is not of a world that loads its folder; nil: nobody is
}

// loadedSuites are those of one file, or what is wrong with it.
type loadedSuites struct {
	file   string
	suites []scenario.Suite
	err    error
}

// findSuites finds the files that paths name: themselves, those in a folder, or with
// FOLDER/... those in it and below.
func findSuites(paths []string) (*suiteFiles, error) {
	f := &suiteFiles{archives: map[string]*archive{}}
	var errs []error
	for _, path := range orDefault(paths) {
		if err := f.find(path); err != nil {
			errs = append(errs, err)
		}
	}
	slices.Sort(f.names)
	f.names = slices.Compact(f.names)
	return f, errors.Join(errs...)
}

func (f *suiteFiles) find(path string) error {
	folder, all := strings.CutSuffix(filepath.ToSlash(path), "/...")
	if path == "..." {
		folder, all = ".", true
	}
	info, err := os.Stat(folder)
	switch {
	case path == "-":
		return hinted(errors.New("suites are not read from standard input: they have files beside them"), "name a file, a folder or a txtar archive")
	case err != nil:
		return err
	case !info.IsDir() && strings.HasSuffix(folder, ".txtar"):
		return f.archive(filepath.Clean(folder))
	case !info.IsDir():
		f.names = append(f.names, filepath.Clean(folder))
		return nil
	}
	return f.folder(filepath.Clean(folder), all)
}

// folder finds suites in a folder and, where all is asked for, below it. What go test leaves
// out below ... is left out here, too, and so is other people's code. A link to a file is
// read, a link to a folder below is not followed, as among manifests.
func (f *suiteFiles) folder(folder string, all bool) error {
	here := len(f.names)
	err := walkFolder(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != folder && (!all || leftOut(d.Name())):
			return fs.SkipDir
		case d.IsDir() || !isSuite(name):
			return nil
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
		case d.Type()&fs.ModeSymlink != 0 && scenario.LeadsOut(folder, name):
			return hinted(fmt.Errorf("%s is a link that leads out of %s", name, folder), "put the file itself there, or name the folder that holds both")
		case scenario.IsSuiteFile(name):
			f.names = append(f.names, name)
		case isSuiteArchive(name):
			return f.archive(name)
		}
		return nil
	})
	if err == nil && !all && len(f.names) == here && suitesBelow(folder) {
		f.below = append(f.below, folder)
	}
	return err
}

// walkFolder is [filepath.WalkDir] of what somebody names: a folder that is a link is the one that it leads to.
func walkFolder(folder string, visit fs.WalkDirFunc) error {
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
	_ = walkFolder(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil, d.IsDir() && name != folder && leftOut(d.Name()):
			return fs.SkipDir
		case !d.IsDir() && scenario.IsSuiteFile(name):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

func leftOut(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || slices.Contains([]string{"testdata", "node_modules", "vendor"}, folder)
}

// hint helps where no suites were found.
func (f *suiteFiles) hint() string {
	if len(f.below) > 0 {
		return fmt.Sprintf("there are some further down: admsim test %s/...", f.below[0])
	}
	return "suites are files named admsim.yaml or NAME_admsim.yaml; --allow-empty accepts a run without suites"
}

// load loads every file. opened is told of what is read for it; nil: nobody asks.
func (f *suiteFiles) load(opened func(name string)) []loadedSuites {
	var all []loadedSuites
	for _, name := range f.names {
		o := scenario.Options{Root: rootOf(name), Opened: opened, PassedOver: f.passedOver}
		if a := f.archiveOf(name); a != nil {
			o = scenario.Options{FS: a, Root: a.path, PassedOver: f.passedOver}
			if opened != nil {
				opened(a.path)
			}
		}
		suites, err := scenario.LoadSuites(filepath.ToSlash(name), o)
		all = append(all, loadedSuites{name, suites, err})
	}
	return all
}

// roots are the folders that the files may read from.
func (f *suiteFiles) roots() (all []string) {
	for _, name := range f.names {
		if a := f.archiveOf(name); a != nil {
			name = a.path
		}
		if root := rootOf(name); !slices.Contains(all, root) {
			all = append(all, root)
		}
	}
	return all
}

// rootOf is the folder that the files of a suite may be in: that of its project, else the
// current one if the suite is in it, else that of the suite.
func rootOf(file string) string {
	folder := filepath.Dir(file)
	whole, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	current, err := filepath.Abs(".")
	if err != nil {
		return folder
	}
	root := whole
	if inside, err := filepath.Rel(current, whole); err == nil && filepath.IsLocal(inside) {
		root = current
	}
	if project, marked := scenario.ProjectOf(whole); marked {
		root = project
	}
	// By the names of the file, which may lead out of the current folder and back into it.
	if up, err := filepath.Rel(whole, root); err == nil {
		return filepath.ToSlash(filepath.Join(folder, up))
	}
	return filepath.ToSlash(root)
}

// write writes the file of an object, or its place in an archive.
func (f *suiteFiles) write(name string, data []byte) error {
	if a := f.archiveOf(name); a != nil {
		a.put(strings.TrimPrefix(name, a.path+"/"), data)
		return nil
	}
	for _, suite := range f.names {
		folder := filepath.Dir(suite)
		below, err := filepath.Rel(folder, filepath.FromSlash(name))
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		err = wholefile.WriteIn(folder, below, data, resultMode)
		if wholefile.LeadsOut(err) {
			return hinted(fmt.Errorf("%s: a link that leads out of %s is not written through", name, folder), "put a file in its place")
		}
		return err
	}
	return hinted(fmt.Errorf("%s is not in the folder of its suite, and not written", name), "move it there, or write it yourself")
}

// save writes the archives that changed.
func (f *suiteFiles) save() error {
	var errs []error
	for _, a := range f.archives {
		if a.changed {
			errs = append(errs, wholefile.Write(a.path, txtar.Format(a.files), resultMode))
		}
	}
	return errors.Join(errs...)
}

// isSuiteArchive tells whether an archive is there to be run as a suite: it has one in it, and
// what stands before its files is no script.
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
