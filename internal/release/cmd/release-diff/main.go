// Command release-diff prints the differences between two releases of Kubernetes that concern admsim.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/admsim/admsim/internal/release/changes"
	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/upstream"
)

const usage = `Usage: release-diff -from 1.36.3 -to 1.37.2

It prints the differences between two releases of Kubernetes that concern admsim: admission
plugins, feature gates, served resources, fields, and the files that admsim follows, with the
functions that differ. It reads published modules and builds nothing. With -write it adds the
gates, the fields and the served resources of the later release to the tables of pkg/kubeversion, and
the versions in etcd to that of internal/catalog.

Flags:
`

func main() { command.Main("release-diff", run) }

func run(ctx context.Context, args []string, out, complaints io.Writer) error {
	flags := command.Flags("release-diff", usage, complaints)
	from := flags.String("from", "", "the earlier release, such as 1.36.3")
	to := flags.String("to", "", "the later release, such as 1.37.2")
	root := flags.String("root", ".", "the folder of admsim's source")
	write := flags.Bool("write", false, "print nothing, and write gates.txt, fields.txt and testdata/openapi.txt in pkg/kubeversion")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *from == "" || *to == "" {
		return errors.New("-from and -to are required\nhint: make release-diff FROM=1.36.3 TO=1.37.2")
	}
	var releases [2]*upstream.Release
	for i, version := range []string{*from, *to} {
		var err error
		if releases[i], err = upstream.Download(ctx, version); err != nil {
			return err
		}
	}
	if *write {
		return writeTables(ctx, *root, releases)
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "# From Kubernetes %s to %s\n", releases[0].Version, releases[1].Version)
	files := 0 // number of followed files
	sections := []struct {
		title string
		lines func() ([]string, error)
	}{
		{"Admission plugins", func() ([]string, error) {
			return both(releases, func(r *upstream.Release) ([]changes.Plugin, error) { return changes.Plugins(ctx, r) }, changes.ComparePlugins)
		}},
		{"Feature gates", func() ([]string, error) {
			lines, err := both(releases, func(r *upstream.Release) (map[string]changes.Gate, error) { return changes.Gates(ctx, r) }, changes.CompareGates)
			if err != nil {
				return nil, err
			}
			return markKnown(*root, lines)
		}},
		{"Feature gates that pkg/kubeversion/gates.txt has otherwise", func() ([]string, error) { return tables(ctx, *root, releases) }},
		{"Resources, alpha included", func() ([]string, error) { return both(releases, changes.Served, changes.CompareTexts) }},
		{"Fields", func() ([]string, error) { return both(releases, changes.Fields, changes.CompareTexts) }},
		{filesFollowed, func() (lines []string, err error) {
			lines, files, err = followed(ctx, *root, releases)
			return lines, err
		}},
	}
	for _, s := range sections {
		lines, err := s.lines()
		if err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(s.title), err)
		}
		of := ""
		if s.title == filesFollowed {
			of = fmt.Sprintf(" of %d", files)
		}
		fmt.Fprintf(w, "\n## %s: %d%s\n\n", s.title, len(lines), of)
		for _, line := range lines {
			fmt.Fprintln(w, line)
		}
	}
	return w.Flush()
}

// both reads something from two releases, and compares it.
func both[T any](releases [2]*upstream.Release, read func(*upstream.Release) (T, error), compare func(from, to T) []string) ([]string, error) {
	from, err := read(releases[0])
	if err != nil {
		return nil, err
	}
	to, err := read(releases[1])
	if err != nil {
		return nil, err
	}
	return compare(from, to), nil
}

// markKnown adds to lines about gates whether admsim's table of releases has the gate.
func markKnown(root string, lines []string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "pkg", "kubeversion", "*.go"))
	if err != nil {
		return nil, err
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all.Write(text)
	}
	for i, line := range lines {
		name, _, _ := strings.Cut(line[2:], ":")
		if strings.Contains(all.String(), `"`+name+`"`) {
			lines[i] += " (pkg/kubeversion names it)"
		}
	}
	return lines, nil
}

// tables compares admsim's own table of gates with both releases.
func tables(ctx context.Context, root string, releases [2]*upstream.Release) ([]string, error) {
	table, err := os.ReadFile(filepath.Join(root, "pkg", "kubeversion", "gates.txt"))
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, r := range releases {
		gates, err := changes.Gates(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, line := range changes.CompareTable(string(table), r.Version, gates) {
			lines = append(lines, r.Version+" "+line)
		}
	}
	return lines, nil
}

// writeTables adds the later release to the tables of pkg/kubeversion and internal/catalog.
func writeTables(ctx context.Context, root string, releases [2]*upstream.Release) error {
	before, err := changes.Gates(ctx, releases[0])
	if err != nil {
		return err
	}
	gates, err := changes.Gates(ctx, releases[1])
	if err != nil {
		return err
	}
	needs, err := changes.Needs(ctx, releases[1])
	if err != nil {
		return err
	}
	served, err := changes.Served(releases[1])
	if err != nil {
		return err
	}
	stored, err := changes.Stored(releases[1])
	if err != nil {
		return err
	}
	priorities, err := changes.Priorities(releases[1])
	if err != nil {
		return err
	}
	fieldsBefore, err := changes.Fields(releases[0])
	if err != nil {
		return err
	}
	fields, err := changes.Fields(releases[1])
	if err != nil {
		return err
	}
	for _, t := range []struct {
		name string
		next func(table string) (string, error)
	}{
		{"pkg/kubeversion/gates.txt", func(table string) (string, error) {
			return changes.NextGates(table, releases[1].Version, before, gates, needs), nil
		}},
		{"pkg/kubeversion/fields.txt", func(table string) (string, error) {
			return changes.NextFields(table, releases[1].Version, fieldsBefore, fields), nil
		}},
		{"pkg/kubeversion/testdata/openapi.txt", func(table string) (string, error) {
			return changes.NextServed(table, releases[0].Version, releases[1].Version, served)
		}},
		{"internal/catalog/etcd.txt", func(table string) (string, error) {
			return changes.NextStored(table, releases[1].Version, stored)
		}},
		{"pkg/kubeversion/priorities.txt", func(table string) (string, error) {
			return changes.NextPriorities(table, releases[1].Version, priorities), nil
		}},
	} {
		name := filepath.Join(root, t.name)
		table, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		next, err := t.next(string(table))
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if err := os.WriteFile(name, []byte(next), 0o666); err != nil {
			return err
		}
	}
	return nil
}

const filesFollowed = "Files that ours follow, and that differ"

// followed returns the followed files that differ, one per line, and how many were compared.
func followed(ctx context.Context, root string, releases [2]*upstream.Release) (lines []string, files int, err error) {
	all, err := changes.Follow(ctx, root, releases[:]...)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range all {
		var names [2]string
		for i, r := range releases {
			// A repository that only the other release publishes does not have the file.
			if name, err := r.File(ctx, f.Repository, f.Path); err == nil {
				names[i] = name
			}
		}
		change, err := changes.CompareFiles(names[0], names[1])
		if err != nil {
			return nil, 0, fmt.Errorf("%s:%s: %w", f.Repository, f.Path, err)
		}
		if change.Any() {
			lines = append(lines, fmt.Sprintf("%s:%s %s (%s)", f.Repository, f.Path, change, strings.Join(f.Ours, ", ")))
		}
	}
	return lines, len(all), nil
}
