package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
)

const trustUsage = `trust permits the worlds and suites in a folder, and in all folders below it, to run the programs and open
the connections that they name, without being asked again. The permission is stored in a file of the
user, outside of any world: no loaded file can trust itself.

You trust the folder, not what is in it today. Check out changes proposed by strangers somewhere else.
docs/security.md explains who is trusted with what.`

const trustExample = `  admsim trust .
  admsim trust ~/shop --allow exec
  admsim trust --list
  admsim trust --revoke ~/shop`

type trustCommand struct {
	file   string
	allow  []string
	list   bool
	revoke string
}

func newTrust() *cobra.Command {
	t := &trustCommand{}
	c := &cobra.Command{
		Use:     "trust DIR",
		Short:   "Permit the worlds of a folder to run programs and open connections",
		Long:    trustUsage,
		Example: trustExample,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return t.run(args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	flags := c.Flags()
	flags.StringVar(&t.file, "trust", "", "trust `FILE` to use, as an absolute path (default the user's)")
	flags.StringSliceVar(&t.allow, "allow", []string{"exec", "network"}, "what the folder is permitted: `WHAT` is exec or network")
	flags.BoolVar(&t.list, "list", false, "list the trusted folders")
	flags.StringVar(&t.revoke, "revoke", "", "`DIR` that is no longer trusted")
	c.MarkFlagsMutuallyExclusive("list", "revoke")
	c.MarkFlagsMutuallyExclusive("list", "allow")
	c.MarkFlagsMutuallyExclusive("revoke", "allow")
	return c
}

func (t *trustCommand) run(args []string, stdout, stderr io.Writer) error {
	file := t.file
	switch {
	case file == "":
		if file = usersTrustFile(); file == "" {
			return hinted(errors.New("there is no folder for the settings of the user"), "name a file with --trust")
		}
	case !filepath.IsAbs(file):
		return hinted(fmt.Errorf("--trust %s: the path is not absolute", file), "a world could bring a file of that name")
	}
	if len(args) > 0 && (t.list || t.revoke != "") {
		return fmt.Errorf("%q is an unexpected argument", args[0])
	}
	switch {
	case t.list:
		return listTrust(file, stdout, stderr)
	case t.revoke != "":
		return revokeTrust(file, t.revoke, stderr)
	case len(args) == 0:
		return hinted(errors.New("no folder is named"), "admsim trust . trusts the current folder, and --list shows what is trusted")
	}
	return t.add(file, args[0], stderr)
}

func (t *trustCommand) add(file, folder string, stderr io.Writer) error {
	path, err := realFolder(folder)
	if err != nil {
		return err
	}
	f := consent.Folder{Path: path}
	for _, what := range t.allow {
		switch what {
		case "exec":
			f.Exec = true
		case "network":
			f.Network = true
		default:
			return oneOf("--allow", what, []string{"exec", "network"})
		}
	}
	if !f.Exec && !f.Network {
		return hinted(errors.New("--allow is empty"), "--revoke ends the trust in a folder")
	}
	if reason := (&consent.Trust{File: file}).Discounted(path); reason != "" {
		return hinted(errors.New(reason), "a world could bring it: name a file somewhere else with --trust")
	}
	if err := changeTrust(file, func(all *consent.Trust) *consent.Trust { return all.With(f) }); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "admsim: %s is trusted with %s, in %s\n", path, strings.Join(f.Allows(), " and "), file)
	if reason := (&consent.Trust{File: file}).DiscountedHere(); reason != "" {
		fmt.Fprintf(stderr, "admsim: warning: %s\n", reason)
	}
	return nil
}

func listTrust(file string, stdout, stderr io.Writer) error {
	t, err := loadTrust(file)
	if err != nil {
		return err
	}
	if len(t.Folders) == 0 {
		fmt.Fprintf(stderr, "admsim: no folder is trusted, in %s\n", file)
	}
	for _, f := range t.Folders {
		if _, err := fmt.Fprintf(stdout, "%s  %s\n", f.Path, strings.Join(f.Allows(), ", ")); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	return nil
}

// revokeTrust ends the trust in a folder, which may no longer exist.
func revokeTrust(file, folder string, stderr io.Writer) error {
	named, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	path := named
	if real, err := filepath.EvalSymlinks(named); err == nil {
		path = real
	}
	t, err := loadTrust(file)
	if err != nil {
		return err
	}
	left := t.Without(path).Without(named)
	if len(left.Folders) == len(t.Folders) {
		return hinted(fmt.Errorf("%s is not trusted", path), "admsim trust --list shows the trusted folders")
	}
	if err := saveTrust(left); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "admsim: %s is no longer trusted\n", path)
	for _, f := range left.Folders {
		if within, err := filepath.Rel(f.Path, path); err == nil && filepath.IsLocal(within) {
			fmt.Fprintf(stderr, "admsim: warning: %s is still trusted, and contains it\n", f.Path)
		}
	}
	return nil
}

// realFolder returns the path of a folder without symbolic links.
func realFolder(folder string) (string, error) {
	path, err := filepath.Abs(folder)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", hinted(fmt.Errorf("%s is not a folder", path), "only folders can be trusted, with everything in them")
	}
	return path, nil
}

// changeTrust updates a trust file.
func changeTrust(file string, change func(*consent.Trust) *consent.Trust) error {
	t, err := loadTrust(file)
	if err != nil {
		return err
	}
	return saveTrust(change(t))
}

func saveTrust(t *consent.Trust) error {
	if err := os.MkdirAll(filepath.Dir(t.File), 0o700); err != nil {
		return fmt.Errorf("writing the trust file: %w", err)
	}
	if err := wholefile.Write(t.File, t.YAML(), resultMode); err != nil {
		return fmt.Errorf("writing the trust file: %w", err)
	}
	return nil
}

// loadTrust reads a trust file. A file that does not exist trusts no folder.
func loadTrust(file string) (*consent.Trust, error) {
	folders, err := scenario.LoadTrust(file)
	t := &consent.Trust{File: file}
	for _, f := range folders {
		t.Folders = append(t.Folders, consent.Folder(f))
	}
	return t, err
}
