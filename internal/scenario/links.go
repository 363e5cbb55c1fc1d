package scenario

import (
	"path"

	"github.com/admsim/admsim/internal/projectfiles"
)

// outside is what is wrong with a link that leads out of what was loaded.
const (
	outside     = "%q leads out of what was loaded"
	outsideHint = "put the file itself there, or load the folder that holds both"
)

// confined reports whether a file that another one names is inside of what may be read for it.
func (l *loader) confined(name string) bool {
	if _, onDisk := l.FS.(disk); onDisk {
		return !projectfiles.LeadsOut(or(l.Root, l.root), name)
	}
	return l.Root == "" || inside(path.Clean(l.Root), name) // else the file system has nothing else
}

// leadsOut tells of a name that a form or a folder has, see [projectfiles.LeadsOut]; only the disk has links.
func (l *loader) leadsOut(name string) bool {
	_, onDisk := l.FS.(disk)
	return onDisk && projectfiles.LeadsOut(or(l.Root, l.root), name)
}
