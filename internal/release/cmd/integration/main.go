// Command integration runs Kubernetes' integration tests with the kube-apiserver of admsim.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/integration"
	"github.com/admsim/admsim/internal/release/upstream"
)

const usage = `Usage: integration -version 1.37.2 -assets DIR [flags]

It runs Kubernetes' own integration tests of a release, from the published module, with the
kube-apiserver of admsim. It reports the tests that fail and are not listed, and those that are
listed as open and pass. Unfair tests are not run.

Flags:
`

func main() { command.Main("integration", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := command.Flags("integration", usage, progress)
	version := flags.String("version", "", "the release, such as 1.37.2")
	assets := flags.String("assets", "", "the folder that admsim envtest has created")
	only := flags.String("only", "", "run only the tests of packages whose path matches this regular expression")
	if err := flags.Parse(args); err != nil {
		return err
	}
	minor, err := upstream.MinorOf(*version)
	if err != nil {
		return fmt.Errorf("-version: %w\nhint: make integration VERSION=1.37.2", err)
	}
	packages, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(*assets)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	results, err := integration.Run(ctx, integration.Options{
		Version: *version, Folder: filepath.Join(cache, "admsim", "integration", *version), Assets: folder,
		List: filepath.Join("testdata", "integration", minor), Only: packages, Progress: progress,
	})
	if err != nil {
		return err
	}
	passed, wrong := 0, 0
	for _, r := range results {
		for _, text := range r.Wrong {
			fmt.Fprintf(out, "%s: %s\n", r.Package, text)
		}
		passed, wrong = passed+r.Passed, wrong+len(r.Wrong)
	}
	fmt.Fprintf(out, "integration: %d tests pass, %d differ from the list\n", passed, wrong)
	if wrong > 0 {
		return command.ErrDiffers
	}
	return nil
}
