// Command columns writes the table of the columns that releases of Kubernetes show for each kind.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/release/changes"
	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/upstream"
)

const usage = `Usage: columns 1.10.13 1.11.10 … 1.37.2

It reads the published sources of these releases, the oldest first, and writes their columns to
internal/table/columns.txt.

Flags:
`

const columnsHead = `# The columns of tables, by kind, from Kubernetes' sources. Made by make columns.
#
# Each line has the releases with the column, by their minor versions, then its name and its description. A + before the name
# stands for wide output. After the name follow the type if it is not string (:integer), the format (/name), and the feature
# gate without which the column is missing (?CSIStorageCapacity). The description $Type.field is that of a field, in
# descriptions.txt.
`

const descriptionsHead = `# The descriptions of the fields that columns.txt mentions, by releases. Made by make columns.
`

func main() { command.Main("columns", run) }

func run(ctx context.Context, args []string, _, complaints io.Writer) error {
	flags := command.Flags("columns", usage, complaints)
	root := flags.String("root", ".", "the folder of admsim's source")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("releases are required, such as 1.37.2")
	}
	kinds, descriptions := map[string]*rows{}, map[string]*rows{}
	newest := 0
	for _, version := range flags.Args() {
		release, err := upstream.Download(ctx, version)
		if err != nil {
			return err
		}
		columns, texts, err := changes.Columns(ctx, release)
		if err != nil {
			return err
		}
		newest = release.Minor
		for kind, list := range columns {
			var lines []string
			for _, c := range list {
				lines = append(lines, line(c))
			}
			add(kinds, kind, newest, lines)
		}
		for field, text := range texts {
			add(descriptions, field, newest, []string{text})
		}
	}
	for file, text := range map[string]string{"columns.txt": columnsHead + written(kinds, newest), "descriptions.txt": descriptionsHead + written(descriptions, newest)} {
		if err := os.WriteFile(filepath.Join(*root, "internal/table", file), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func written(all map[string]*rows, newest int) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s\n", name)
		for _, row := range *all[name] {
			fmt.Fprintf(&b, "\t%s\t%s\n", changes.Spans(row.releases, newest), strings.ReplaceAll(row.line, "\n", `\n`))
		}
	}
	return b.String()
}

func line(c changes.Column) string {
	name := c.Name
	if c.Wide {
		name = "+" + name
	}
	if c.Type != "string" {
		name += ":" + c.Type
	}
	if c.Format != "" {
		name += "/" + c.Format
	}
	if c.Gate != "" {
		name += "?" + c.Gate
	}
	return name + "\t" + c.Description
}

// rows are lines that some releases have, in an order that is that of each release.
type rows []struct {
	line     string
	releases []int
}

func add(all map[string]*rows, name string, release int, lines []string) {
	if all[name] == nil {
		all[name] = &rows{}
	}
	r := all[name]
	at := 0
	for _, l := range lines {
		i := at
		for i < len(*r) && (*r)[i].line != l {
			i++
		}
		if i == len(*r) {
			i = at
			*r = slices.Insert(*r, i, struct {
				line     string
				releases []int
			}{line: l})
		}
		(*r)[i].releases = append((*r)[i].releases, release)
		at = i + 1
	}
}
