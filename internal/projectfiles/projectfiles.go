// Package projectfiles decides which files may be read for a file: those of its project, or of one folder, even after
// links are followed. It also knows which files are excluded when folders are read.
//
// It works on names of the operating system and reads no contents. The contents of project files are for package
// scenario.
package projectfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Name is the name of the file in which a project says how it uses admsim.
const Name = ".admsim.yaml"

// projectMarks are the files that mark the top folder of a project.
var projectMarks = []string{Name, ".git", "go.mod"}

// Of returns the nearest folder, from this one upwards, that is the top of a project. The folder has to be absolute.
func Of(folder string) (string, bool) {
	for at := folder; ; at = filepath.Dir(at) {
		if slices.ContainsFunc(projectMarks, func(name string) bool { _, err := os.Stat(filepath.Join(at, name)); return err == nil }) {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// RootOf returns the folder that must contain the files that a file names: the folder of its project, or else the
// current folder if the file is in it, or else its own.
func RootOf(file string) string {
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
	if project, marked := Of(whole); marked {
		root = project
	}
	// Relative to the name of the file, which may lead out of the current folder and back into it.
	if up, err := filepath.Rel(whole, root); err == nil {
		return filepath.ToSlash(filepath.Join(folder, up))
	}
	return filepath.ToSlash(root)
}

// LeadsOut reports whether a file on disk is outside of a folder once links are followed. A stranger's link could
// otherwise show any file of the machine, because admsim prints parts of what it reads. Git's own files count as
// outside, too: they may contain the token of a CI job.
func LeadsOut(folder, name string) bool {
	_, _, ok := below(folder, name)
	return !ok
}

// OpenIn opens a file on disk that is in a folder once links are followed. A link that is created after [LeadsOut] was
// called is not followed out of the folder either.
func OpenIn(folder, name string) (*os.File, error) {
	root, file, ok := below(folder, name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it leads out of " + folder)}
	}
	return os.OpenInRoot(root, file)
}

// below returns the path of a folder, and the path of a file in it, with all links followed.
func below(folder, name string) (root, file string, ok bool) {
	root, err := realPath(folder)
	if err != nil {
		return "", "", false
	}
	whole, err := realPath(name)
	if err != nil {
		return "", "", false
	}
	file, err = filepath.Rel(root, whole)
	if err != nil || !filepath.IsLocal(file) || slices.Contains(strings.Split(filepath.ToSlash(file), "/"), ".git") {
		return "", "", false
	}
	return root, file, true
}

// realPath returns where a file is, or would be created, with links followed.
func realPath(name string) (string, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	found, err := filepath.EvalSymlinks(whole)
	if err == nil || whole == filepath.Dir(whole) {
		return found, err
	}
	if _, there := os.Lstat(whole); there == nil {
		return "", err // a dangling link: its target would be created wherever it points
	}
	folder, err := realPath(filepath.Dir(whole))
	return filepath.Join(folder, filepath.Base(whole)), err
}
