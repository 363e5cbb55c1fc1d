// Package projectfiles decides which files may be read for a file: those of its project, or of one folder, also once
// links are followed. It also knows which files are excluded from the folders that are read.
//
// It works on names of the operating system and reads nothing by itself. What projects say of themselves is for package
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

// Name is what the file is called in which a project says how admsim is used in it.
const Name = ".admsim.yaml"

// What is in the folder that a project begins with.
var projectMarks = []string{Name, ".git", "go.mod"}

// Of is the nearest folder, from this one upwards, that a project begins with. The
// folder has to be absolute.
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

// RootOf is the folder that the files which a file names may be in: that of its project, else the
// current one if the file is in it, else its own.
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
	// By the names of the file, which may lead out of the current folder and back into it.
	if up, err := filepath.Rel(whole, root); err == nil {
		return filepath.ToSlash(filepath.Join(folder, up))
	}
	return filepath.ToSlash(root)
}

// LeadsOut reports whether a file of the disk is outside of a folder once links are followed. A
// link that a stranger made could otherwise show any file of the machine, because admsim prints
// parts of what it reads. What git keeps for itself counts as outside, too: the token of a CI job
// may be in it.
func LeadsOut(folder, name string) bool {
	_, _, ok := below(folder, name)
	return !ok
}

// OpenIn opens a file of the disk that is in a folder once links are followed. A link that is put there
// after [LeadsOut] has looked leads nowhere either.
func OpenIn(folder, name string) (*os.File, error) {
	root, file, ok := below(folder, name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it leads out of " + folder)}
	}
	return os.OpenInRoot(root, file)
}

// below returns where a folder is, and where in it a file is, with all links followed.
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

// realPath is where a file is, or would be made, with links followed.
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
		return "", err // a link to nothing, which would be made wherever it points
	}
	folder, err := realPath(filepath.Dir(whole))
	return filepath.Join(folder, filepath.Base(whole)), err
}
