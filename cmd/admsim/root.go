package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/reference"
)

// Exit codes.
const (
	exitAdmitted = 0 // or as expected
	exitDenied   = 1
	exitUnknown  = 2 // admsim could not tell
	exitBug      = 3
)

// errDenied ends the command with its exit code and no message: the result says everything. If it went to files only,
// they are named.
var errDenied = errors.New("denied")

// A deniedError is errDenied with other words for a result that went to files only.
type deniedError struct{ text string }

func (e *deniedError) Error() string    { return e.text }
func (e *deniedError) Is(is error) bool { return is == errDenied }

// errUnknown does the same if admsim could not tell.
var errUnknown = errors.New("not known")

// An exitError makes admsim exit with the code of a program that it ran.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

const usage = `admsim simulates the admission chain of a kube-apiserver in one process: built-in plugins,
webhooks, policies, and what the server itself does to the object. It shows what happens to a
request, and why. It needs no cluster, and no network unless you let it call real webhooks.

Results go to standard output, everything else to standard error. The exit code is 0 if every
request was admitted, 1 if one was denied, 2 if admsim could not tell, 3 for a bug in admsim.`

const usageExample = `  admsim run -C world/ -f request.yaml
  admsim explain -C world/ pods -n shop --as alice --verb create`

// run runs admsim and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return runAs(ctx, invocation{}, args, stdin, stdout, stderr)
}

// runAs runs admsim as it was invoked.
func runAs(ctx context.Context, by invocation, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	stdout, stderr = inert.NewWriter(stdout), inert.NewWriter(withoutCredentials{stderr})
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "admsim: error: panic: %v\n\n%s\n", p, debug.Stack())
			fmt.Fprintf(stderr, "admsim: hint: %s\n", bugHint)
			code = exitBug
		}
	}()
	root := newRoot(by, args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	// cobra's help function cannot return an error.
	var unwritten error
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { unwritten = printHelp(c) })
	did, err := root.ExecuteContextC(ctx)
	var exit *exitError
	if err == nil {
		err = unwritten
	}
	switch {
	case err == nil:
		return exitAdmitted
	case errors.As(err, &exit):
		return exit.code
	case bug.Is(err):
		printError(stderr, err)
		return exitBug
	case errors.Is(err, errDenied):
		text := "denied, or not as expected"
		if said := (*deniedError)(nil); errors.As(err, &said) {
			text = said.text
		}
		nameFiles(did, text, stderr)
		return exitDenied
	case errors.Is(err, errUnknown):
		nameFiles(did, "admsim could not tell everything", stderr)
		return exitUnknown
	default:
		printError(stderr, err)
		return exitUnknown
	}
}

// newRoot builds the root command for args. If args begin with the name of a command, only that command is built; help,
// completion and hints for unknown names need all commands.
func newRoot(by invocation, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "admsim",
		Short:         "Simulate the admission chain of a kube-apiserver",
		Long:          usage,
		Example:       usageExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,

		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			collectAs(c.Name())
			if err := checkLine(c, args); err != nil {
				return err
			}
			return by.prepare(c)
		},
	}
	if by.plugin {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: pluginName}
	}
	root.Flags().Bool("version", false, "print the version, as admsim version does")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if !c.HasParent() && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			return runGroup(c, args) // the flag follows an unknown command
		}
		return flagError(c, err)
	})
	if one := named(args); one != nil {
		root.CompletionOptions.DisableDefaultCmd = true
		root.AddCommand(hintArgs(one()))
		return root
	}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, made := range g.commands {
			c := hintArgs(made.new())
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		registerCompletions(root)
	}
	return root
}

// named returns the constructor of the command that args begin with, nil if there is none.
func named(args []string) func() *cobra.Command {
	if len(args) == 0 {
		return nil
	}
	for _, g := range groups {
		for _, c := range g.commands {
			if c.name == args[0] {
				return c.new
			}
		}
	}
	return nil
}

// A group is a group of commands in the list of commands.
type group struct {
	title    string
	commands []command
}

// A command is built when it is needed.
type command struct {
	name string
	new  func() *cobra.Command
}

var groups = []group{
	{"One request", []command{{"run", newRun}, {"explain", newExplain}, {"blame", newBlame}}},
	{"Clients", []command{{"serve", newServe}, {"envtest", newEnvtest}}},
	{"Tests in CI", []command{{"test", newTest}, {"init", newInit}, {"migrate", newMigrate}}},
	{"Recorded requests", []command{{"record", newRecord}, {"replay", newReplay}, {"report", newReport}, {"snapshot", newSnapshot}, {"convert", newConvert}}},
	{"Before deploying", []command{{"lint", newLint}, {"diff", newDiff}, {"outage", newOutage}, {"check", newCheck}, {"latency", newLatency}}},
	{"Reference", []command{{"plugins", newPlugins}, {"versions", newVersions}, {"version", newVersion}, {"trust", newTrust}}},
}

// newGroup returns a command that only has subcommands.
func newGroup(name, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs, RunE: runGroup}
	c.AddCommand(commands...)
	return c
}

// runGroup is the action of a command that only has subcommands.
func runGroup(c *cobra.Command, args []string) error {
	if version, err := c.Flags().GetBool("version"); err == nil && version {
		return (&outputFlags{command: "version", colour: "auto"}).writeReference(c.OutOrStdout(), reference.Build())
	}
	if len(args) == 0 {
		return c.Help()
	}
	hint := c.CommandPath() + " --help lists the commands"
	if !c.HasParent() {
		hint = "admsim help lists the commands"
		if instead, known := ofKubectlAlone[args[0]]; known {
			return hinted(fmt.Errorf("unknown command %q", args[0]), instead)
		}
		if slices.Contains(ofKubectl, args[0]) {
			return hinted(fmt.Errorf("unknown command %q", args[0]),
				"kubectl has it, and works with a simulated cluster: admsim serve -- kubectl "+args[0]+" …; for one manifest, admsim run -f FILE shows what happens to it")
		}
	}
	return hinted(unknownCommand(c, args[0]), hint)
}

// ofKubectl are commands of kubectl that ask a server.
var ofKubectl = []string{"annotate", "api-resources", "apply", "auth", "create", "delete", "describe", "drain", "edit", "exec", "get", "label", "logs", "patch", "replace", "rollout", "scale", "set"}

// ofKubectlAlone has hints for commands of kubectl that ask no server.
var ofKubectlAlone = map[string]string{
	"config":    "to read a cluster of your kubeconfig, use --from-cluster, and --context NAME for another context than the current one; admsim serve writes a kubeconfig of its own",
	"kustomize": "-C and -f take the folder of a kustomization, and build it",
}

func unknownCommand(c *cobra.Command, name string) error {
	var known []string
	for _, sub := range c.Commands() {
		known = append(known, sub.Name())
	}
	return didyoumean.Unknown(fmt.Sprintf("unknown command %q", name), name, known)
}

// flagError describes what is wrong with a value, or suggests the flag that was probably meant.
func flagError(c *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		return badFlagValue(invalid)
	}
	lists := c.CommandPath() + " --help lists the flags"
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return hinted(err, lists)
	}
	if hint := hintForForeign(c, missing.GetSpecifiedName()); hint != "" {
		return hinted(err, hint)
	}
	if missing.GetSpecifiedShortnames() != "" {
		return hinted(err, lists)
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return hinted(didyoumean.Unknown(err.Error(), "--"+missing.GetSpecifiedName(), known), lists)
}
