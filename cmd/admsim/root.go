package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/didyoumean"
)

// Exit codes.
const (
	exitAdmitted = 0 // or as expected
	exitDenied   = 1
	exitUnknown  = 2 // admsim could not tell
	exitBug      = 3
)

// errDenied ends the command with its exit code and no message: the result said it all.
var errDenied = errors.New("denied")

// errUnknown ends it in the same way where admsim could not tell.
var errUnknown = errors.New("not known")

const usage = `admsim simulates the admission chain of a kube-apiserver in one process: built-in plugins,
webhooks, policies, and what the server itself does to the object. It says what becomes of a
request and why. No cluster; no network but for webhooks that are to be called for real.

Results go to standard output, everything else to standard error. The exit code is 0 if every
request was admitted, 1 if one was denied, 2 if admsim could not tell, 3 for a bug in admsim.`

const usageExample = `  admsim run -C world/ -f request.yaml
  admsim explain -C world/ pods -n shop --as alice --verb create`

// run is the whole command.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "admsim: error: panic: %v\n\n%s\n", p, debug.Stack())
			fmt.Fprintln(stderr, "admsim: hint: this is a bug in admsim; please report the lines above and what you ran at https://github.com/admsim/admsim/issues")
			code = exitBug
		}
	}()
	collectLate()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return exitAdmitted
	case errors.Is(err, errDenied):
		return exitDenied
	case errors.Is(err, errUnknown):
		return exitUnknown
	default:
		printError(stderr, err)
		return exitUnknown
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "admsim",
		Short:         "Simulate the admission chain of a kube-apiserver",
		Long:          usage,
		Example:       usageExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,

		PersistentPreRun: func(c *cobra.Command, _ []string) { collectAs(c.Name()) },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return hinted(flagError(c, err), c.CommandPath()+" --help lists the flags")
	})
	for _, g := range commands() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			hintArgs(c)
			root.AddCommand(c)
		}
	}
	return root
}

// hintArgs shows how a command is used to who gives it too many or too few arguments.
func hintArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return hinted(err, "usage: "+c.UseLine())
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		hintArgs(sub)
	}
}

// A group of commands is what the list of them shows together.
type group struct {
	title    string
	commands []*cobra.Command
}

func commands() []group {
	return []group{
		{"One request", []*cobra.Command{newRun(), newExplain(), newBlame()}},
		{"Tests in CI", []*cobra.Command{newTest(), newInit()}},
		{"Recorded requests", []*cobra.Command{newRecord(), newReplay(), newReport(), newSnapshot(), newConvert()}},
		{"Before deploying", []*cobra.Command{newLint(), newDiff(), newOutage(), newCheck(), newLatency()}},
		{"Reference", []*cobra.Command{newPlugins(), newVersions(), newVersion()}},
	}
}

// runGroup is what a command does that only has others below it.
func runGroup(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	hint := c.CommandPath() + " --help lists the commands"
	if !c.HasParent() {
		hint = "admsim help lists the commands"
	}
	return hinted(unknownCommand(c, args[0]), hint)
}

func unknownCommand(c *cobra.Command, name string) error {
	var known []string
	for _, sub := range c.Commands() {
		known = append(known, sub.Name())
	}
	return didyoumean.Unknown(fmt.Sprintf("unknown command %q", name), name, known)
}

// flagError adds to the error about an unknown flag which one was probably meant.
func flagError(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return didyoumean.Unknown(err.Error(), "--"+missing.GetSpecifiedName(), known)
}
