package scenario

import (
	"cmp"

	"github.com/admsim/admsim/internal/manifest"
)

// readObject reads an object that is written in the document itself, or the path of a file that holds nothing else.
func (r *requestReader) readObject(key string) *manifest.Manifest {
	v := r.Value.At(key)
	var found []manifest.Manifest
	switch is := v.Is.(type) {
	case nil:
		return nil
	case map[string]any:
		found = manifest.Manifests(v.Document(), v.Errs)
	case string:
		found = r.readFile(v, is)
	default:
		v.Errorf("", "%s instead of an object or the path of its file", manifest.TypeName(is))
		return nil
	}
	if len(found) != 1 {
		if len(found) > 1 || len(*v.Errs) == r.failedAt {
			v.Errorf("", "%d objects instead of one", len(found))
		}
		return nil
	}
	return &found[0]
}

// readFile reads a file that a document names. Paths are relative to the file of the document and stay in the folder
// that was loaded, so that running a stranger's files reads nothing else.
func (r *requestReader) readFile(v manifest.Value, name string) []manifest.Manifest {
	full, ok := v.Named(name)
	if !ok {
		return nil
	}
	l := manifest.NewLoader(r.options)
	l.In = cmp.Or(v.Of.Within, ".")
	l.File(full)
	for _, err := range l.Errs {
		if err.Line == 0 { // the file itself cannot be read
			err.Source, err.Message = v.Source(), v.Path+": "+err.Source.File+": "+err.Message
		}
	}
	*v.Errs = append(*v.Errs, l.Errs...)
	return l.Found
}
