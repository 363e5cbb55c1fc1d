package roles

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

const releasesLine = "# Releases: "

// Head returns the comment above the table, with the releases that it is generated from.
func Head(versions []string) string {
	return "# The roles and bindings that a server makes for itself. Made by make roles:\n" +
		"# kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy. table.go says how it reads.\n" +
		releasesLine + strings.Join(versions, " ") + "\n"
}

// Versions returns the releases of a table, the oldest first. add is a further release, which replaces another patch
// release of the same minor version; empty: none.
func Versions(table, add string) ([]string, error) {
	var versions []string
	for line := range strings.Lines(table) {
		if list, ok := strings.CutPrefix(line, releasesLine); ok {
			versions = strings.Fields(list)
		}
	}
	if len(versions) == 0 {
		return nil, errors.New("roles.txt does not list its releases")
	}
	if add != "" {
		versions = slices.DeleteFunc(versions, func(v string) bool { return minorOf(v) == minorOf(add) })
		versions = append(versions, add)
	}
	slices.SortFunc(versions, func(a, b string) int { return cmp.Compare(minorOf(a), minorOf(b)) })
	return versions, nil
}

// minorOf returns the minor version, such as 38 for 1.38.0.
func minorOf(version string) int {
	words := strings.Split(version, ".")
	minor, _ := strconv.Atoi(words[min(1, len(words)-1)])
	return minor
}
