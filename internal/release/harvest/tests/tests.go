// Package tests runs Kubernetes' own unit tests in a module that records what they do.
//
// Start with [Run]. The package does not know what is recorded: [Lines] is the Go package with which the module writes it.
package tests

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/release/command"
)

// Module is the path of a module that records.
const Module = "admsim.example/harvest"

// Lines is the source of the package lines of such a module.
//
//go:embed _lines/lines.go
var Lines []byte

// Options say which tests are run.
type Options struct {
	Folder   string // of the module
	Packages []string
	Batch    int      // number of packages that a go command tests
	Flags    []string // further flags of go test
	Fresh    bool     // rerun tests that completed before
	Progress io.Writer
}

// recorded returns the folder in which test processes write.
func (o Options) recorded() string { return filepath.Join(o.Folder, "written") }

// problem matches the lines of a go command's output that say what failed.
var problem = regexp.MustCompile(`^(FAIL|--- FAIL|# |go: |panic: |\S+\.go:\d)`)

// Run runs the tests, except for those of packages that completed in an earlier run. Failing tests do not matter: a call is
// recorded when it is made.
func Run(ctx context.Context, o Options) error {
	if len(o.Packages) == 0 {
		return errors.New("no package has such tests")
	}
	if o.Fresh {
		if err := os.RemoveAll(o.recorded()); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(o.recorded(), 0o755); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(o.Packages), func(path string) bool {
		_, err := os.Stat(o.tested(path))
		return err == nil
	})
	started := time.Now()
	for batch := range slices.Chunk(left, max(1, o.Batch)) {
		for _, path := range batch {
			if err := o.clear(path); err != nil {
				return err
			}
		}
		// The linker leaves out what only debuggers need, and go vet is not needed here.
		args := append([]string{"test", "-mod=mod", "-vet=off", "-ldflags=-s -w", "-count=1", "-p", "2"}, o.Flags...)
		out, err := o.goCommand(ctx, append(args, batch...)...).CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for line := range bytes.Lines(out) {
			if err != nil && problem.Match(line) {
				fmt.Fprintf(o.Progress, "  %s", line)
			}
		}
		for _, path := range batch {
			if bytes.Contains(out, []byte("\t"+path+" [")) { // it could not be built
				continue
			}
			if err := os.WriteFile(o.tested(path), nil, 0o644); err != nil {
				return err
			}
		}
		fmt.Fprintf(o.Progress, "%s: tested up to %s\n", time.Since(started).Round(time.Second), batch[len(batch)-1])
	}
	return nil
}

// clear removes what a package has written in a run that did not complete.
func (o Options) clear(path string) error {
	folder := filepath.Join(o.Folder, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(path, Module+"/"), "k8s.io/")))
	name := strings.ReplaceAll(strings.Trim(filepath.ToSlash(folder), "/"), "/", "_") + ".jsonl"
	err := os.Remove(filepath.Join(o.recorded(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tested returns the file that marks the tests of a package as completed.
func (o Options) tested(path string) string {
	return filepath.Join(o.recorded(), strings.ReplaceAll(path, "/", "_")+".tested")
}

func (o Options) goCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := GoCommand(ctx, o.Folder, args...)
	cmd.Env = append(cmd.Env, "ADMSIM_HARVEST="+o.recorded())
	return cmd
}

// GoCommand returns a go command that runs in the folder of a module.
func GoCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := command.Child(ctx, "go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	return cmd
}

// Written returns the lines that the tests have written, without those that are longer than longest. 0: no limit. The names
// of test processes differ between runs, so lines are sorted, and each of them is there once.
func (o Options) Written(longest int) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(o.recorded(), "*.jsonl"))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			if longest == 0 || len(line) <= longest {
				seen[string(line)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen)), nil
}
