package integration

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The kinds of entries. Unfair tests are not run: they need the server in their own process, read or write its etcd, or test
// what admsim does not simulate.
const (
	open   = "open"
	unfair = "unfair"
)

// A list has the tests that do not count, and those that fail.
type list []entry

type entry struct{ kind, name, test, reason string }

// readList reads a list. Each of its lines has the kind of an entry, the package, the name of the test, and the reason.
func readList(file string) (all list, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.SplitN(line, " ", 4)
		if len(words) < 4 || words[0] != open && words[0] != unfair {
			return nil, fmt.Errorf("%s:%d: want open or unfair, a package, a test and a reason: %q", file, n, line)
		}
		all = append(all, entry{words[0], words[1], words[2], words[3]})
	}
	return all, lines.Err()
}

// of returns the entries of a package.
func (l list) of(name string) (of list) {
	for _, e := range l {
		if e.name == name {
			of = append(of, e)
		}
	}
	return of
}

// isOpen reports whether a test is listed as open, itself or with one that it belongs to.
func (l list) isOpen(test string) bool {
	for ; test != ""; test = parentOf(test) {
		for _, e := range l {
			if e.kind == open && e.test == test {
				return true
			}
		}
	}
	return false
}

// pattern returns a regular expression of the go command for all tests of a kind.
func (l list) pattern(kind string) string {
	var all []string
	for _, e := range l {
		if e.kind != kind {
			continue
		}
		var parts []string
		for part := range strings.SplitSeq(e.test, "/") {
			parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
		}
		all = append(all, strings.Join(parts, "/"))
	}
	return strings.Join(all, "|")
}
