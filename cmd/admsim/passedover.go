package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
)

// loadObjects reads manifests as objects of a cluster. Files that belong to suites are not part of it: they are left
// out, with a warning.
func loadObjects(paths []string, o scenario.Options, stderr io.Writer) ([]scenario.Manifest, error) {
	var passed, suites, unbuilt []string
	o.Unbuilt = func(folder string) { unbuilt = append(unbuilt, folder) }
	o.PassedOverLink = func(name string) { warnLink(stderr, name) }
	o.Empty = func(name string) { warnEmpty(stderr, name) }
	o.Changed = func(warning *scenario.Error) { printWarning(stderr, placed(warning), warning.Hint) }
	o.PassedOver = func(name string) { passed = append(passed, name) }
	found, err := scenario.Load(paths, o)
	found = slices.DeleteFunc(found, func(m scenario.Manifest) bool {
		isSuite := m.Group == scenario.Group && m.Kind == scenario.SuiteKind
		if isSuite && !slices.Contains(suites, m.Source.File) {
			suites = append(suites, m.Source.File)
		}
		return isSuite
	})
	isNamed := func(file string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return filepath.Clean(path) == filepath.Clean(file) })
	}
	for _, file := range suites {
		if isNamed(file) {
			printWarning(stderr, fmt.Sprintf("left out %s: it is a suite, which admsim test runs", file), "name the files and folders that its world loads")
		}
	}
	warnPassedOver(stderr, passed, slices.DeleteFunc(suites, isNamed))
	warnUnbuilt(stderr, unbuilt)
	return found, err
}

// warnUnbuilt warns that sources of kustomize or Helm are read as if they were manifests.
func warnUnbuilt(stderr io.Writer, folders []string) {
	if len(folders) > 0 {
		printWarning(stderr, "not built, but read file by file, since a folder above was named: "+words.Few(folders),
			"name the folder of the kustomization or chart that makes the manifests")
	}
}

func warnEmpty(stderr io.Writer, name string) {
	if name == os.DevNull {
		return // it is meant to be empty
	}
	if name == scenario.Stdin {
		name = "standard input"
	}
	printWarning(stderr, "there is no object in "+name, "")
}

func warnLink(stderr io.Writer, name string) {
	printWarning(stderr, "left out "+name+": links to folders are not followed", "load the folder that it leads to by its own path")
}

// warnPassedOver warns about files and suites in folders that were left out.
func warnPassedOver(stderr io.Writer, passed, suites []string) {
	names := slices.Sorted(slices.Values(slices.Concat(passed, suites)))
	if len(names) == 0 {
		return
	}
	why := "they belong to suites"
	if len(names) == 1 {
		why = "it belongs to a suite"
	}
	hint := ""
	if len(passed) > 0 {
		hint = "a file that is named itself is read"
	}
	printWarning(stderr, fmt.Sprintf("left out %s: %s, which admsim test runs", words.Few(names), why), hint)
}
