// Command hostile runs admsim on inputs that are built to take a lot of time or memory, and writes what they take into
// a table in docs/security.md.
//
// Start with inputs.go, which has the inputs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "hostile: error:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("hostile", flag.ContinueOnError)
	flags.SetOutput(stderr)
	document := flags.String("o", "", "`FILE` whose table is rewritten")
	binary := flags.String("admsim", "", "`FILE` of the program to run (default: it is built)")
	only := flags.String("only", "", "`PATTERN` of the inputs to run; they are not written into the document")
	longest := flags.Duration("longest", time.Minute, "how long an input may take")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "admsim-hostile-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if *binary == "" {
		*binary = filepath.Join(dir, "admsim")
		build := exec.CommandContext(ctx, "go", "build", "-o", *binary, "./cmd/admsim")
		build.Stderr = stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building admsim: %w", err)
		}
	}
	var rows []row
	for _, in := range inputs() {
		if !pattern.MatchString(in.name) {
			continue
		}
		r, err := measure(ctx, *binary, filepath.Join(dir, "input"), in, *longest)
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		fmt.Fprintf(stderr, "%-60s exit %s  %6.2f s  %5d MiB  %s\n", in.name, r.exit(), r.took.Seconds(), r.peak>>20, r.output)
		rows = append(rows, r)
	}
	text := table(rows)
	if *document == "" || *only != "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	return errors.Join(rewrite(*document, text), unbounded(rows))
}
