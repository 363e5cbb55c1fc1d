package scenario

import (
	"io"
	"path"
	"slices"
	"strings"
)

// fileKeys are the keys under which a case names files and folders.
var fileKeys = []string{"request", "object", "oldObject", "load", "config"}

// ofCases are those of these files that cases of suites among them name, and that are in the folder of the
// suite or below. What a case asks about is not in the cluster before, nor is what it expects or what is there
// for this case only.
func (l *loader) ofCases(files []string) map[string]bool {
	theirs := map[string]bool{}
	for _, suite := range files {
		if !IsSuiteFile(suite) {
			continue
		}
		for _, named := range l.namedByCases(suite) {
			named = path.Join(path.Dir(suite), named)
			if named == path.Clean(path.Dir(suite)) || !inside(path.Dir(suite), named) {
				continue
			}
			for _, name := range files {
				if clean := path.Clean(name); clean == named || strings.HasPrefix(clean, named+"/") {
					theirs[name] = true
				}
			}
		}
	}
	return theirs
}

// namedByCases are the paths in the cases of a file of suites. What is wrong with it is told where it is loaded.
func (l *loader) namedByCases(suite string) (names []string) {
	f, err := l.FS.Open(suite)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, l.MaxFile))
	if err != nil {
		return nil
	}
	var untold Errors
	for d := range eachDocument(suite, data, &untold) {
		if of, isMapping := d.value.(map[string]any); isMapping {
			names = appendPaths(names, of["cases"])
		}
	}
	return names
}

func appendPaths(names []string, in any) []string {
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
				names = append(names, textsIn(value)...)
			}
			names = appendPaths(names, value)
		}
	}
	return names
}

// textsIn is a text, or those of a list.
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
