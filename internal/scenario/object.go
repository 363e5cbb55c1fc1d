package scenario

import (
	"cmp"

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
	l.within = cmp.Or(v.of.root, ".")
	l.file(full)
	for _, err := range l.errs {
		if err.Line == 0 { // the file itself cannot be read
			err.Source, err.Message = v.source(), v.path+": "+err.Source.File+": "+err.Message
		}
	}
	*v.errs = append(*v.errs, l.errs...)
	return l.found
}
