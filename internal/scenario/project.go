package scenario

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/internal/projectfiles"
)

// A Project is the contents of a [projectfiles.Name] file.
type Project struct {
	Ignore []Ignore // lint.ignore
}

// An Ignore is a finding that a project knows and accepts.
type Ignore struct {
	Rule   string // its id
	Object string // kind/name, or kind/namespace/name; * stands for any part; empty: all
	Reason string
	Source manifest.Source
}

// LoadProject reads a project file:
//
//	lint:
//	  ignore:
//	  - {rule: ADM003, object: MutatingWebhookConfiguration/sidecar, reason: it runs on the host}
//
// A file that does not exist, or that has only comments, is an empty project. The error is an [Errors].
func LoadProject(file string, o manifest.Options) (Project, error) {
	l := manifest.NewLoader(o)
	var p Project
	if _, err := fs.Stat(l.FS, file); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	docs, ok := l.Documents(file)
	switch {
	case !ok || len(docs) == 0:
	case len(docs) > 1:
		l.Errs.Add(docs[1].Source, "", "%d documents instead of one", len(docs))
	case docs[0].Value != nil:
		d := docs[0]
		p = readProject(&manifest.Manifest{Source: d.Source, Places: d.Places, JSON: manifest.Encode(d.Value)}, &l.Errs)
	}
	return p, l.Errs.Err()
}

// grantsIn returns errors for keys of a project file that pretend to allow something. A file that cannot be read is
// reported by whatever needs its contents.
func grantsIn(file string) error {
	l := manifest.NewLoader(manifest.Options{})
	if _, err := fs.Stat(l.FS, file); err != nil {
		return nil
	}
	docs, ok := l.Documents(file)
	l.Errs = nil
	for _, d := range docs {
		if _, isMapping := d.Value.(map[string]any); ok && isMapping {
			grants(manifest.FormOf(d, &l.Errs))
		}
	}
	return l.Errs.Err()
}

// grantKeys are keys that could be meant to allow something, without dashes and in lower case.
var grantKeys = []string{"allow", "allowexec", "allownetwork", "consent", "exec", "network", "passenv", "permissions", "trust", "trusted"}

// grants refuses and removes keys that only the caller of admsim may set: otherwise a file that comes with a world
// could allow what the world wants.
func grants(v manifest.Value) {
	m, _ := v.Is.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(grantKeys, strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))) {
			v.Errs.Add(v.At(key).Source(), "allow it on the command line: --allow-exec, --allow-network, or admsim trust DIR", "%s: a project file cannot allow programs or connections", key)
			delete(m, key)
		}
	}
}

// CheckGrants refuses project files, in the current folder or above what is loaded, that pretend to allow something:
// nothing that comes with a world can.
func CheckGrants(paths []string) error {
	files := []string{projectfiles.Name}
	for _, path := range paths {
		if whole, err := filepath.Abs(path); err == nil {
			for at := whole; at != filepath.Dir(at); at = filepath.Dir(at) {
				file := filepath.Join(at, projectfiles.Name)
				if _, err := os.Stat(file); err == nil {
					files = append(files, nameFromHere(file))
					break
				}
			}
		}
	}
	slices.Sort(files)
	var errs []error
	for _, file := range slices.Compact(files) {
		errs = append(errs, grantsIn(file))
	}
	return manifest.Together(errs...)
}

// nameFromHere returns the relative name of a file in the current folder.
func nameFromHere(file string) string {
	if here, err := filepath.Abs("."); err == nil {
		if name, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(name) {
			return name
		}
	}
	return file
}

func readProject(m *manifest.Manifest, errs *manifest.Errors) Project {
	var p Project
	v := manifest.Form(m, errs)
	grants(v)
	if !v.Mapping("lint") || !v.At("lint").Mapping("ignore") {
		return p
	}
	for _, entry := range v.At("lint").At("ignore").List() {
		if !entry.Mapping("rule", "object", "reason") {
			continue
		}
		i := Ignore{
			Rule:   entry.At("rule").Text(),
			Object: entry.At("object").Text(),
			Reason: entry.At("reason").Text(),
			Source: entry.Source(),
		}
		if i.Rule == "" {
			entry.Errorf("admsim lint --rules lists them", "no rule")
			continue
		}
		p.Ignore = append(p.Ignore, i)
	}
	return p
}
