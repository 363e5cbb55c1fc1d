package scaffold

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
)

// Beside returns paths without the new folder, whose world would otherwise load the suite itself, and without other
// suites, whose requests and worlds are their own: a path that contains one of these is replaced by the files in it. A
// folder that is built must not contain the new folder. left are the folders and files of the other suites.
func Beside(output string, paths []string, o scenario.Options) (all, left []string, err error) {
	for _, path := range paths {
		in, err := RelativeTo(path, output)
		if err != nil {
			return nil, nil, err
		}
		same := func(other string) bool { to, err := RelativeTo(path, other); return err == nil && to == "." }
		if slices.ContainsFunc(all, same) {
			continue
		}
		builds := o.Builds(path)
		if builds && filepath.IsLocal(in) {
			return nil, nil, &scenario.Error{
				Message: fmt.Sprintf("the suite cannot be in %s, which is built: what is in it is not read file by file", path),
				Hint:    "give the suite a folder beside it: -o " + filepath.ToSlash(filepath.Join(filepath.Dir(path), "admission")),
			}
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() || builds {
			all = append(all, path)
			continue
		}
		files := filesIn(output, path)
		others := otherSuites(path, files)
		if len(others) == 0 && !filepath.IsLocal(in) {
			all = append(all, path)
			continue
		}
		for _, name := range files {
			if !slices.ContainsFunc(others, func(of string) bool { return name == of || strings.HasPrefix(name, of+"/") }) {
				all = append(all, name)
			}
		}
		left = append(left, others...)
	}
	return all, left, nil
}

// filesIn returns the files that are read in a folder, except for those in the new folder.
func filesIn(output, folder string) (names []string) {
	// Errors in a file are reported when it is loaded.
	_, _ = scenario.Load([]string{folder}, scenario.Options{Opened: func(name string) {
		if in, err := RelativeTo(output, name); err != nil || !filepath.IsLocal(in) {
			names = append(names, filepath.ToSlash(name))
		}
	}})
	return names
}

// otherSuites returns what belongs to the suites among the files of a folder: the subfolder that contains a suite, or
// else its file.
func otherSuites(folder string, files []string) (of []string) {
	for _, name := range files {
		if !declaresSuite(name) {
			continue
		}
		here, err := RelativeTo(folder, path.Dir(name))
		if strings.HasPrefix(path.Base(name), scenario.SuiteName+".") && err == nil && here != "." {
			name = path.Dir(name)
		}
		if !slices.ContainsFunc(of, func(outer string) bool { return strings.HasPrefix(name, outer+"/") }) {
			of = append(of, name)
		}
	}
	return of
}

// declaresSuite reports whether a file contains suites, and does not just have such a name.
func declaresSuite(name string) bool {
	if !scenario.IsSuiteFile(name) {
		return false
	}
	found, _ := scenario.Load([]string{name}, scenario.Options{})
	return slices.ContainsFunc(found, func(m scenario.Manifest) bool { return m.Group == scenario.Group && m.Kind == scenario.SuiteKind })
}
