package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
)

// A Folder is a folder that objects are written to, one file per object:
//
//	RESOURCE.GROUP/NAME.yaml
//	RESOURCE.GROUP/NAMESPACE/NAME.yaml
//
// so that two snapshots can be compared file by file. It leaves out what only the server needs: managedFields, and the
// copy that kubectl apply makes. Secrets are written without their data.
type Folder struct {
	path       string
	namespaces []string        // whose objects are written, beside cluster-scoped ones; empty: all
	found      map[string]bool // namespaces that exist or have objects
	redactor   *redact.Redactor
	count      int
}

// NewFolder creates a folder, which must be empty if it exists. If namespaces are given, of the objects in namespaces
// only those in these are written. If redactor is nil, secrets in objects other than
// Secrets are kept, such as those at paths that the user named.
func NewFolder(path string, namespaces []string, redactor *redact.Redactor) (*Folder, error) {
	if _, err := IsNew(path); err != nil {
		return nil, err
	}
	return &Folder{path: path, namespaces: namespaces, found: map[string]bool{}, redactor: redactor}, os.MkdirAll(path, 0o700)
}

// IsNew reports whether a folder does not exist yet. It is an error if there is anything in it.
func IsNew(path string) (bool, error) {
	found, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case len(found) > 0:
		return false, hint.Add(fmt.Errorf("%s is not empty: there is %s in it", path, found[0].Name()), "name a new folder")
	}
	return false, nil
}

// Count returns how many objects were written.
func (f *Folder) Count() int { return f.count }

// NotFound warns of namespaces given to [NewFolder] that no object was about.
func (f *Folder) NotFound() (warnings []*scenario.Error) {
	for _, name := range f.namespaces {
		if !f.found[name] {
			unknown := didyoumean.Unknown(fmt.Sprintf("nothing of namespace %q was found", name), name, slices.Sorted(maps.Keys(f.found)))
			warnings = append(warnings, &scenario.Error{Message: unknown.Problem, Hint: unknown.Hint()})
		}
	}
	return warnings
}

// Write writes an object of the named resource; if it is empty, the resource is derived from the kind.
func (f *Folder) Write(resource string, o Object) error {
	if resource == "" {
		resource = plural(text(o["apiVersion"]), text(o["kind"]))
	}
	namespace, name := nameOf(o)
	if name == "" {
		return fmt.Errorf("a %v has no name", o["kind"])
	}
	switch {
	case namespace != "":
		f.found[namespace] = true
	case resource == "namespaces":
		f.found[name] = true
	}
	if namespace != "" && len(f.namespaces) > 0 && !slices.Contains(f.namespaces, namespace) {
		return nil
	}
	if f.redactor != nil { // first, so that it knows the data that is removed below
		o = f.redactor.Begin().Object(o)
	}
	o = cleaned(o)
	data, err := yaml.Marshal(o)
	if err != nil {
		return fmt.Errorf("%s %s: %w", resource, name, err)
	}
	file := filepath.Join(f.path, fileName(resource), fileName(namespace), fileName(name)+".yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if before, err := os.ReadFile(file); err == nil && !bytes.Equal(before, data) {
		return fmt.Errorf("%s occurs twice, with different contents", strings.TrimSuffix(file, ".yaml"))
	}
	f.count++
	return wholefile.Write(file, data, 0o600)
}

// cleaned returns o without what is not kept. It does not change o.
func cleaned(o Object) Object {
	o = maps.Clone(o)
	if o["kind"] == "Secret" {
		delete(o, "data")
		delete(o, "stringData")
	}
	meta, ok := o["metadata"].(map[string]any)
	if !ok {
		return o
	}
	meta = maps.Clone(meta)
	delete(meta, "managedFields")
	if annotations, ok := meta["annotations"].(map[string]any); ok {
		annotations = maps.Clone(annotations)
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		if meta["annotations"] = annotations; len(annotations) == 0 {
			delete(meta, "annotations")
		}
	}
	o["metadata"] = meta
	return o
}

// fileName returns a name that every file system accepts: all characters except letters, digits, dashes, underscores
// and dots are written as % and two digits.
func fileName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
