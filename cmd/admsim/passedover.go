package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/scenario"
)

// loadObjects reads manifests as objects of a cluster. What is there for suites, which are not of
// it, is left out, and told.
func loadObjects(paths []string, o scenario.Options, stderr io.Writer) ([]scenario.Manifest, error) {
	var folders, files []string
	found, err := loadNoting(paths, o, &folders)
	found = slices.DeleteFunc(found, func(m scenario.Manifest) bool {
		isSuite := m.Group == scenario.Group && m.Kind == scenario.SuiteKind
		if isSuite && !slices.Contains(files, m.Source.File) {
			files = append(files, m.Source.File)
		}
		return isSuite
	})
	warnPassedOver(stderr, folders, files)
	return found, err
}

// loadRequests reads manifests as requests: what is named twice is asked twice. The folders of suites
// are left out, and told.
func loadRequests(paths []string, o scenario.Options, stderr io.Writer) ([]scenario.Manifest, error) {
	o.Again = true
	var folders []string
	found, err := loadNoting(paths, o, &folders)
	warnPassedOver(stderr, folders, nil)
	return found, err
}

func loadNoting(paths []string, o scenario.Options, folders *[]string) ([]scenario.Manifest, error) {
	o.PassedOver = func(name string) { *folders = append(*folders, name) }
	return scenario.Load(paths, o)
}

func warnPassedOver(stderr io.Writer, folders, files []string) {
	names := slices.Sorted(slices.Values(slices.Concat(folders, files)))
	if len(names) == 0 {
		return
	}
	hint := ""
	if len(folders) > 0 {
		hint = "a folder is read where it is named itself"
	}
	printWarning(stderr, fmt.Sprintf("passed over %s: they are of suites, which admsim test runs", strings.Join(names, ", ")), hint)
}
