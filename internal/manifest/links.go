package manifest

import (
	"cmp"
	"path"
	"strings"

	"github.com/admsim/admsim/internal/projectfiles"
)

// Outside is the error about a link that leads out of what was loaded, and OutsideHint its hint.
const (
	Outside     = "%q leads out of what was loaded"
	OutsideHint = "put the file itself there, or load the folder that holds both"
)

// Confined reports whether a file that another file names is inside of what may be read for it.
func (l *Loader) Confined(name string) bool {
	if _, onDisk := l.FS.(disk); onDisk {
		return !projectfiles.LeadsOut(cmp.Or(l.Root, l.Within), name)
	}
	return l.Root == "" || Inside(path.Clean(l.Root), name) // without a root, anything in the file system may be read
}

// leadsOut reports whether a file in a form or folder leads out, see [projectfiles.LeadsOut]. Only the disk has links.
func (l *Loader) leadsOut(name string) bool {
	_, onDisk := l.FS.(disk)
	return onDisk && projectfiles.LeadsOut(cmp.Or(l.Root, l.Within), name)
}

// Named returns the path of a file that a form names. Paths are relative to the file of the form and do not leave the
// root, so that running a stranger's files reads nothing else.
func (v Value) Named(name string) (string, bool) {
	if path.IsAbs(name) {
		v.Errorf("give the path from the folder of this file", "%q is an absolute path", name)
		return "", false
	}
	full := path.Join(path.Dir(v.Of.Source.File), name)
	if root := path.Clean(cmp.Or(v.Of.Within, ".")); full != root && !Inside(root, full) {
		v.Errorf("move the file, or load the folder that contains both; for a suite, an empty .admsim.yaml there makes it the project", "%q is outside of what was loaded: %s", name, folderInWords(root))
		return "", false
	}
	if v.Of.OnDisk && projectfiles.LeadsOut(cmp.Or(v.Of.Within, "."), full) {
		v.Errorf(OutsideHint, Outside, name)
		return "", false
	}
	return full, true
}

func folderInWords(root string) string {
	if root == "." {
		return "the current folder"
	}
	return "folder " + root
}

// Inside reports whether a file is in a folder, judging by their names. A folder above the current one is named by dots
// only.
func Inside(root, name string) bool {
	up := 0
	for rest := root + "/"; strings.HasPrefix(rest, "../"); rest = rest[3:] {
		up++
	}
	if root != "." && up*3 != len(root)+1 {
		return strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/")
	}
	for strings.HasPrefix(name+"/", "../") {
		up, name = up-1, strings.TrimPrefix(name[2:], "/")
	}
	return up >= 0 && !path.IsAbs(name)
}
