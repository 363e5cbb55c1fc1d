package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/migrate"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
)

const migrateUsage = `migrate rewrites files of an older version of admsim's formats (admsim.dev/v1alpha1) in today's version. It
changes nothing else: comments, quotes, the order of keys and other documents stay as they are. It names the
files that it rewrites.

A folder stands for its files *.yaml, *.yml, *.json and *.txtar at any depth, except hidden ones. With - it
reads from standard input and writes to standard output.

With --check nothing is written, and the exit code is 1 if a file would be. Files of older versions are still
read, so there is no hurry: docs/compatibility.md says for how long.`

const migrateExample = `  admsim migrate .
  admsim migrate --check .
  admsim migrate - < old.yaml > new.yaml`

func newMigrate() *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:     "migrate PATH...",
		Short:   "Rewrite files of an older version of admsim's formats",
		Long:    migrateUsage,
		Example: migrateExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			m := migration{check: check, stdout: c.OutOrStdout()}
			return m.run(args, c.InOrStdin())
		},
	}
	c.Flags().BoolVar(&check, "check", false, "only name the files that would be rewritten, and exit with code 1 if there is one")
	return c
}

// A migration is one run of the command.
type migration struct {
	check   bool
	stdout  io.Writer
	looked  int // files read
	changed int
}

func (m *migration) run(paths []string, stdin io.Reader) error {
	if len(paths) == 1 && paths[0] == "-" {
		return m.filter(stdin)
	}
	var wrong []error
	for _, path := range paths {
		if path == "-" {
			return errors.New("- must be the only argument")
		}
		wrong = append(wrong, m.path(path))
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	if m.changed == 0 && !m.check {
		if _, err := fmt.Fprintf(m.stdout, "nothing to rewrite in %s\n", words.Plural(m.looked, "file")); err != nil {
			return written(err)
		}
	}
	if m.check && m.changed > 0 {
		return errDenied
	}
	return nil
}

// filter migrates standard input.
func (m *migration) filter(stdin io.Reader) error {
	data, err := io.ReadAll(stdin)
	if err != nil {
		return fmt.Errorf("reading standard input: %w", err)
	}
	migrated, documents, err := migrate.File("standard input", data)
	if err != nil {
		return err
	}
	if m.check {
		if documents > 0 {
			return errDenied
		}
		return nil
	}
	_, err = m.stdout.Write(migrated)
	return written(err)
}

func written(err error) error {
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// path migrates a file, or the files of a folder. An error in one file does not keep others from being migrated.
func (m *migration) path(root string) error {
	var wrong []error
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		isHidden := path != root && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return err
		case d.IsDir() && isHidden:
			return fs.SkipDir
		case d.IsDir(), path != root && (isHidden || !migrate.IsCandidate(path) || !d.Type().IsRegular()):
			return nil
		}
		if err := m.file(path); err != nil {
			wrong = append(wrong, err)
		}
		return nil
	})
	return errors.Join(append(wrong, err)...)
}

func (m *migration) file(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	m.looked++
	migrated, documents, err := migrate.File(path, data)
	if err != nil || documents == 0 {
		return err
	}
	m.changed++
	if !m.check {
		if err := wholefile.Write(path, migrated, 0o666); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(m.stdout, "%s: %d of %s\n", path, documents, scenario.APIVersion)
	return written(err)
}
