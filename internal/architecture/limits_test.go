package architecture

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The limits keep the number of packages and what is in each easy to remember.
const (
	mostLines    = 6000 // of Go in a package that is not a command, without tests and generated code
	mostImports  = 12   // of ours, in a package that is not a command
	longestChain = 9    // of imports of ours, one after the other
)

// The exceptions from the limits; docs/design.md has the reasons. These numbers must only ever get smaller.
var (
	linesBeyond   = map[string]int{}
	chainsBeyond  = map[string]int{}
	importsBeyond = map[string]int{}
)

func TestLimits(t *testing.T) {
	ours := map[string][]string{}
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		for _, imported := range p.Imports {
			if one, ok := strings.CutPrefix(imported, module); ok {
				ours[name] = append(ours[name], one)
			}
		}
		if !strings.Contains("/"+name, "/cmd/") {
			check(t, name, "lines of Go", linesOf(t, p), mostLines, linesBeyond)
			check(t, name, "imports of ours", len(ours[name]), mostImports, importsBeyond)
		}
	}
	chains := map[string][]string{}
	for name := range ours {
		check(t, name, "imports one after the other", len(longest(name, ours, chains))-1, longestChain, chainsBeyond)
	}
}

func check(t *testing.T, name, what string, n, most int, beyond map[string]int) {
	t.Helper()
	known, isKnown := beyond[name]
	switch {
	case n <= most && isKnown:
		t.Errorf("%s has %d %s: it is within the limit, so remove the exception", name, n, what)
	case n < known && isKnown:
		t.Errorf("%s has %d %s: lower its exception from %d", name, n, what, known)
	case n > most && !isKnown, n > known && isKnown:
		t.Errorf("%s has %d %s, want at most %d", name, n, what, max(most, known))
	}
}

// linesOf counts handwritten lines.
func linesOf(t *testing.T, p goPackage) (n int) {
	t.Helper()
	for _, file := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte("// Code generated ")) && !bytes.Contains(text, []byte("\n// Code generated ")) {
			n += bytes.Count(text, []byte("\n"))
		}
	}
	return n
}

// longest returns a longest chain of imports that starts with a package.
func longest(name string, ours, known map[string][]string) []string {
	if chain, ok := known[name]; ok {
		return chain
	}
	var below []string
	for _, one := range ours[name] {
		if chain := longest(one, ours, known); len(chain) > len(below) {
			below = chain
		}
	}
	known[name] = append([]string{name}, below...)
	return known[name]
}
