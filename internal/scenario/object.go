package scenario

import (
	"path"
	"strings"

	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/yamldoc"
)

// readObject reads an object that is written in the form itself, or the path of the file
// that holds it and nothing else.
func (r *requestReader) readObject(key string) *Manifest {
	v := r.value.at(key)
	var found []Manifest
	switch is := v.is.(type) {
	case nil:
		return nil
	case map[string]any:
		found = manifests(yamldoc.Document{Value: is, Places: v.of.layout().Lookup(v.path), Source: v.source(), Text: v.of.text}, v.errs)
	case string:
		found = r.readFile(v, is)
	default:
		v.errorf("", "%s instead of an object or the path of its file", typeName(is))
		return nil
	}
	if len(found) != 1 {
		if len(found) > 1 || len(*v.errs) == r.failedAt {
			v.errorf("", "%d objects instead of one", len(found))
		}
		return nil
	}
	return &found[0]
}

// readFile reads a file named in a form. Paths start at the file of the form and do not
// leave the folder that was loaded, so that running what a stranger sent reads nothing else.
func (r *requestReader) readFile(v value, name string) []Manifest {
	full, ok := v.named(name)
	if !ok {
		return nil
	}
	l := newLoader(r.options)
	l.within = or(v.of.root, ".")
	l.file(full)
	for _, err := range l.errs {
		if err.Line == 0 { // the file itself cannot be read
			err.Source, err.Message = v.source(), v.path+": "+err.Source.File+": "+err.Message
		}
	}
	*v.errs = append(*v.errs, l.errs...)
	return l.found
}

// named is the path of a file that a form names. Paths start at the file of the form and
// do not leave the root, so that running what a stranger sent reads nothing else.
func (v value) named(name string) (string, bool) {
	if path.IsAbs(name) {
		v.errorf("give the path from the folder of this file", "%q is an absolute path", name)
		return "", false
	}
	full := path.Join(path.Dir(v.of.Source.File), name)
	if root := path.Clean(or(v.of.root, ".")); full != root && !inside(root, full) {
		v.errorf("move the file, or load the folder that both are in; for a suite an empty .admsim.yaml there makes it the project", "%q is outside of what was loaded", name)
		return "", false
	}
	if v.of.onDisk && projectfiles.LeadsOut(or(v.of.root, "."), full) {
		v.errorf(outsideHint, outside, name)
		return "", false
	}
	return full, true
}

// inside reports whether a file is in a folder, by their names. A folder above the current
// one is named by dots alone.
func inside(root, name string) bool {
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
