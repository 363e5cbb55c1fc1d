// Command merging writes the table of what releases of Kubernetes merge otherwise than the newest one.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/release/changes"
	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/upstream"
)

const usage = `Usage: merging 1.14.10 1.15.12 … 1.37.2

It reads the published OpenAPI documents of these releases, the oldest first, and writes to internal/objects/merging.txt
what server-side apply merges otherwise than today.

Flags:
`

const head = `# What server-side apply merged otherwise in former releases (PL-07a), from Kubernetes' OpenAPI documents. Made by
# make merging.
#
# Each line has a type, a field of it unless it is about the type itself, how its values were merged (atomic, granular, set,
# or the keys of a list), and the releases by their minor versions. Of kinds that no longer exist, all fields are listed that
# are merged otherwise than those of an object that has no type, with their paths; instead of how, it may have their type.
`

func main() { command.Main("merging", run) }

func run(ctx context.Context, args []string, _, complaints io.Writer) error {
	flags := command.Flags("merging", usage, complaints)
	root := flags.String("root", ".", "the folder of admsim's source")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("releases are required, such as 1.37.2")
	}
	releases, newest := map[changes.Merging][]int{}, 0
	for _, version := range flags.Args() {
		release, err := upstream.Download(ctx, version)
		if err != nil {
			return err
		}
		types, err := changes.Types(release)
		if err != nil {
			return err
		}
		newest = release.Minor
		for _, m := range changes.CompareMerging(types, managedfields.BuiltInTypes()) {
			releases[m] = append(releases[m], newest)
		}
	}
	var lines []string
	for m, list := range releases {
		if list[len(list)-1] == newest { // in a kind that is only sent
			continue
		}
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprintln(m.Type, m.Field, m.How, changes.Spans(list, newest))), " "))
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.Join(*root, "internal/objects/merging.txt"), []byte(head+strings.Join(lines, "\n")+"\n"), 0o644)
}
