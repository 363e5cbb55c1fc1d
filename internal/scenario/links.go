package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What is in the folder that a project begins with.
var projectMarks = []string{ProjectFile, ".git", "go.mod"}

// ProjectOf is the nearest folder, from this one upwards, that a project begins with. The
// folder has to be absolute.
func ProjectOf(folder string) (string, bool) {
	for at := folder; ; at = filepath.Dir(at) {
		if slices.ContainsFunc(projectMarks, func(name string) bool { _, err := os.Stat(filepath.Join(at, name)); return err == nil }) {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
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

// outside is what is wrong with a link that leads out of what was loaded.
const (
	outside     = "%q leads out of what was loaded"
	outsideHint = "put the file itself there, or load the folder that holds both"
)

// confined reports whether a file that another one names is inside of what may be read for it.
func (l *loader) confined(name string) bool {
	if _, onDisk := l.FS.(disk); onDisk {
		return !LeadsOut(or(l.Root, l.root), name)
	}
	return l.Root == "" || inside(path.Clean(l.Root), name) // else the file system has nothing else
}

// leadsOut tells of a name that a form or a folder has, see [LeadsOut]; only the disk has links.
func (l *loader) leadsOut(name string) bool {
	_, onDisk := l.FS.(disk)
	return onDisk && LeadsOut(or(l.Root, l.root), name)
}
