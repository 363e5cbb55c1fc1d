// Command fieldnumbers writes the numbers that fields have in protocol buffers into the tags of the types in
// internal/builtin, as the types that k8s.io/api had have them. Its first argument is the folder of these types. The
// others are folders with the packages of API groups, of all releases that had the types:
//
//	make field-numbers
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/builtin"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: fieldnumbers DIRECTORY PUBLISHED...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "fieldnumbers: error:", err)
		os.Exit(1)
	}
}

func run(dir string, published []string) error {
	n := numbers{published: readPublished(published), seen: map[pair]bool{}, tags: map[field]string{}}
	kinds := builtin.Kinds()
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range kinds {
		if t := builtin.Type(k); builtin.Declares(t) {
			n.compare(t, typeName{packageOf(k), k.Kind})
		}
	}
	if err := errors.Join(n.problems...); err != nil {
		return err
	}
	return writeTags(dir, n.tags)
}
