// Command roles writes the table of the roles and bindings that each release has from its
// start, and compares it with the fixtures that Kubernetes keeps of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/admsim/admsim/internal/release/roles"
)

const usage = `Usage: roles -versions 1.15.12,1.16.15,…,1.37.2

It has the bootstrap policy of each release make its roles and bindings, and writes them to
internal/bootstrap/roles.txt. Name one patch release of every release.

Flags:
`

func main() {
	err := run(context.Background(), os.Args[1:], os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "roles: error:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, progress io.Writer) error {
	flags := flag.NewFlagSet("roles", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.Usage = func() { fmt.Fprint(progress, usage); flags.PrintDefaults() }
	list := flags.String("versions", "", "patch releases, such as 1.36.3,1.37.2")
	root := flags.String("root", ".", "the folder of admsim's source")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *list == "" {
		return errors.New("-versions is missing\nhint: make roles")
	}
	versions := strings.Split(*list, ",")
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
	head := "# The roles and bindings that a server makes for itself, of " + versions[0] + " to " + versions[len(versions)-1] + ". Made by make roles:\n" +
		"# kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy. table.go says how it reads.\n"
	return os.WriteFile(filepath.Join(*root, "internal/bootstrap/roles.txt"), []byte(head+table), 0o666)
}
