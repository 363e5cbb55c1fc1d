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
	var over []string
	found, err := loadNoting(paths, o, &over)
	found = slices.DeleteFunc(found, func(m scenario.Manifest) bool {
		isSuite := m.Group == scenario.Group && m.Kind == scenario.SuiteKind
		if isSuite && !slices.Contains(over, m.Source.File) {
			over = append(over, m.Source.File)
		}
		return isSuite
	})
	warnPassedOver(stderr, over)
	return found, err
}

// loadRequests reads manifests as requests: what is named twice is asked twice. The folders of suites
// are left out, and told.
func loadRequests(paths []string, o scenario.Options, stderr io.Writer) ([]scenario.Manifest, error) {
	o.Again = true
	var over []string
	found, err := loadNoting(paths, o, &over)
	warnPassedOver(stderr, over)
	return found, err
}

func loadNoting(paths []string, o scenario.Options, over *[]string) ([]scenario.Manifest, error) {
	o.PassedOver = func(name string) { *over = append(*over, name) }
	return scenario.Load(paths, o)
}

func warnPassedOver(stderr io.Writer, names []string) {
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	fmt.Fprintf(stderr, "admsim: warning: passed over %s: they are of suites, which admsim test runs\n", strings.Join(names, ", "))
	fmt.Fprintf(stderr, "admsim: hint: a folder is read where it is named itself\n")
}
