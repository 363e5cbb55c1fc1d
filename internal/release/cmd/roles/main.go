// Command roles writes the table of the roles and bindings that each release creates when it starts, and compares it
// with the fixtures that Kubernetes has of them.
package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/roles"
)

const usage = `Usage: roles [-add 1.38.0]

It runs the bootstrap policy of each release, and writes the roles and bindings that it creates to
internal/bootstrap/roles.txt. The releases are those listed in this file, one patch release per
minor version. -add adds one, or replaces an earlier patch release.

Flags:
`

func main() { command.Main("roles", run) }

func run(ctx context.Context, args []string, _, progress io.Writer) error {
	flags := command.Flags("roles", usage, progress)
	add := flags.String("add", "", "a patch release, such as 1.38.0")
	root := flags.String("root", ".", "the folder of admsim's source")
	if err := flags.Parse(args); err != nil {
		return err
	}
	name := filepath.Join(*root, "internal/bootstrap/roles.txt")
	before, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	versions, err := roles.Versions(string(before), *add)
	if err != nil {
		return err
	}
	releases, err := roles.Evaluate(ctx, filepath.Join(*root, "internal/release"), versions)
	if err != nil {
		return err
	}
	table, err := roles.Table(releases)
	if err != nil {
		return err
	}
	if err := roles.Check(ctx, table, versions); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(roles.Head(versions)+table), 0o666)
}
