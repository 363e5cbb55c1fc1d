package manifest

import (
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/yamldoc"
)

// fileKeys are the keys under which a case names files and folders.
var fileKeys = []string{"request", "object", "oldObject", "load", "config"}

// ofCases returns the files that cases of suites among files name, if they are in the folder of the suite or below it.
// The request of a case is not in the cluster beforehand, and neither are the objects that it expects or adds. A
// webhook or policy that a case names as oldObject stays in the cluster, since other cases would go without it.
func (l *Loader) ofCases(files []string) map[string]bool {
	theirs := map[string]bool{}
	for _, suite := range files {
		if !IsSuiteFile(suite) {
			continue
		}
		for _, n := range l.namedByCases(suite) {
			named := path.Join(path.Dir(suite), n.path)
			if named == path.Clean(path.Dir(suite)) || !Inside(path.Dir(suite), named) {
				continue
			}
			for _, name := range files {
				if clean := path.Clean(name); (clean == named || strings.HasPrefix(clean, named+"/")) && !(n.old && l.judges(name)) {
					theirs[name] = true
				}
			}
		}
	}
	return theirs
}

// A namedPath is a file or folder that a case names; old marks the object before the request.
type namedPath struct {
	path string
	old  bool
}

// namedByCases returns the paths in the cases of a suite file. Errors in the file are reported when it is loaded.
func (l *Loader) namedByCases(suite string) (names []namedPath) {
	for _, of := range l.mappingsIn(suite) {
		names = appendPaths(names, of["cases"])
	}
	return names
}

// judges reports whether a file has a webhook configuration, a policy or a binding.
func (l *Loader) judges(name string) bool {
	return slices.ContainsFunc(l.mappingsIn(name), func(of map[string]any) bool {
		version, _ := of["apiVersion"].(string)
		return strings.HasPrefix(version, "admissionregistration.k8s.io/")
	})
}

// mappingsIn returns the documents of a file that are mappings, as far as it can be read.
func (l *Loader) mappingsIn(file string) (all []map[string]any) {
	f, err := l.open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, l.MaxFile))
	if err != nil {
		return nil
	}
	var untold Errors
	for d := range yamldoc.EachDocument(file, data, &untold) {
		if of, isMapping := d.Value.(map[string]any); isMapping {
			all = append(all, of)
		}
	}
	return all
}

func appendPaths(names []namedPath, in any) []namedPath {
	switch in := in.(type) {
	case []any:
		for _, item := range in {
			names = appendPaths(names, item)
		}
	case map[string]any:
		if in["kind"] != nil {
			return names // an object that is written in the suite
		}
		for key, value := range in {
			if slices.Contains(fileKeys, key) {
				for _, text := range textsIn(value) {
					names = append(names, namedPath{text, key == "oldObject"})
				}
			}
			names = appendPaths(names, value)
		}
	}
	return names
}

// textsIn returns a text as a list, or the texts of a list.
func textsIn(v any) (all []string) {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, item := range list {
		if text, isText := item.(string); isText {
			all = append(all, text)
		}
	}
	return all
}

// SuiteKind is the kind of a suite.
const SuiteKind = "Suite"

// SuiteName is the name, without extension, of the file with the suites of a folder. Names of further suite files end
// in SuiteSuffix.
const (
	SuiteName   = "admsim"
	SuiteSuffix = "_" + SuiteName
)

// IsSuiteFile reports whether a file of that name holds suites.
func IsSuiteFile(name string) bool {
	base := path.Base(filepath.ToSlash(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return (stem == SuiteName || strings.HasSuffix(stem, SuiteSuffix)) && slices.Contains([]string{".yaml", ".yml"}, path.Ext(base))
}
