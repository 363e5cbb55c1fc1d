package manifest

import (
	"cmp"
	"path"
	"strings"

	"github.com/admsim/admsim/internal/projectfiles"
)

// outside is what is wrong with a link that leads out of what was loaded.
const (
	Outside     = "%q leads out of what was loaded"
	OutsideHint = "put the file itself there, or load the folder that holds both"
)

// confined reports whether a file that another one names is inside of what may be read for it.
func (l *Loader) Confined(name string) bool {
	if _, onDisk := l.FS.(disk); onDisk {
		return !projectfiles.LeadsOut(cmp.Or(l.Root, l.Within), name)
	}
	return l.Root == "" || Inside(path.Clean(l.Root), name) // else the file system has nothing else
}

// leadsOut tells of a name that a form or a folder has, see [projectfiles.LeadsOut]; only the disk has links.
func (l *Loader) leadsOut(name string) bool {
	_, onDisk := l.FS.(disk)
	return onDisk && projectfiles.LeadsOut(cmp.Or(l.Root, l.Within), name)
}

// named is the path of a file that a form names. Paths start at the file of the form and
// do not leave the root, so that running what a stranger sent reads nothing else.
func (v Value) Named(name string) (string, bool) {
	if path.IsAbs(name) {
		v.Errorf("give the path from the folder of this file", "%q is an absolute path", name)
		return "", false
	}
	full := path.Join(path.Dir(v.Of.Source.File), name)
	if root := path.Clean(cmp.Or(v.Of.Within, ".")); full != root && !Inside(root, full) {
		v.Errorf("move the file, or load the folder that both are in; for a suite an empty .admsim.yaml there makes it the project", "%q is outside of what was loaded", name)
		return "", false
	}
	if v.Of.OnDisk && projectfiles.LeadsOut(cmp.Or(v.Of.Within, "."), full) {
		v.Errorf(OutsideHint, Outside, name)
		return "", false
	}
	return full, true
}

// inside reports whether a file is in a folder, by their names. A folder above the current
// one is named by dots alone.
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
