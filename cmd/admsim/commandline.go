package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkLine checks the command line for mistakes that any command can have. Completion is exempt: its command line is
// still being written.
func checkLine(c *cobra.Command, args []string) error {
	if c.DisableFlagParsing {
		return nil
	}
	if err := checkGiven(c, args); err != nil {
		return err
	}
	if err := checkTogether(c); err != nil {
		return err
	}
	if err := checkDryRun(c, args); err != nil {
		return err
	}
	return checkStdin(c, args)
}

// exclusive is the annotation in which cobra keeps the groups of mutually exclusive flags.
const exclusive = "cobra_annotation_mutually_exclusive"

// checkTogether refuses flags that exclude each other.
func checkTogether(c *cobra.Command) (err error) {
	first := map[string]*pflag.Flag{} // by group: the flag that is set
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusive] {
			if other := first[group]; other != nil {
				err = fmt.Errorf("%s and %s exclude each other", nameOfFlag(other), nameOfFlag(f))
			}
			first[group] = f
		}
	})
	return err
}

// checkDryRun refuses the value of --dry-run as an argument of its own, where it would name a file.
func checkDryRun(c *cobra.Command, args []string) error {
	f := c.Flags().Lookup("dry-run")
	if f == nil || !f.Changed {
		return nil
	}
	for _, value := range []string{"server", "client", "none"} {
		if _, err := os.Stat(value); err != nil && slices.Contains(args, value) {
			return hinted(fmt.Errorf("%q is an unexpected argument", value), "write --dry-run="+value)
		}
	}
	return nil
}

// A flag whose value has one of these names may not be empty: an unset variable in a script would turn --as into a
// cluster administrator.
var neverEmpty = []string{"PATH", "FILE", "FOLDER", "DIR", "USER", "GROUP", "URL"}

// checkGiven refuses arguments and values of flags that are empty.
func checkGiven(c *cobra.Command, args []string) error {
	var empty string
	c.Flags().Visit(func(f *pflag.Flag) {
		if name, _ := pflag.UnquoteUsage(f); slices.Contains(neverEmpty, name) && slices.Contains(valuesOf(f), "") {
			empty = nameOfFlag(f)
		}
	})
	if slices.Contains(args, "") {
		empty = "an argument"
	}
	if empty == "" {
		return nil
	}
	return hinted(fmt.Errorf("%s is empty", empty), "is a variable not set?")
}

func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

func nameOfFlag(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// hintArgs makes a command show its usage when it gets too many or too few arguments.
func hintArgs(c *cobra.Command) *cobra.Command {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if check(c, args) == nil {
				return nil
			}
			err := errors.New("an argument is missing")
			for n := range args {
				if check(c, args[:n]) == nil {
					err = fmt.Errorf("%q is an unexpected argument", args[n])
				}
			}
			return hinted(err, "usage: "+c.UseLine())
		}
	}
	for _, sub := range c.Commands() {
		hintArgs(sub)
	}
	return c
}

// toStdout are the flags for which - is standard output.
var toStdout = []string{"log", "audit-log-path"}

// checkStdin refuses a command line that reads more than one thing from standard input, where the second would find
// nothing, or that writes two logs to standard output.
func checkStdin(c *cobra.Command, args []string) error {
	var by, logs []string
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, value := range valuesOf(f) {
			switch {
			case value != "-":
			case slices.Contains(toStdout, f.Name):
				logs = append(logs, nameOfFlag(f)+"=-")
			default:
				by = append(by, nameOfFlag(f)+" -")
			}
		}
	})
	if len(logs) > 1 {
		return hinted(fmt.Errorf("standard output can take one log only: %s", strings.Join(logs, " and ")), "write one of them to a file")
	}
	for _, arg := range args {
		if arg == "-" {
			by = append(by, "the argument -")
		}
	}
	if len(by) < 2 {
		return nil
	}
	names := strings.Join(slices.Compact(slices.Clone(by)), " and ")
	if names == by[0] {
		names += " twice"
	}
	return hinted(fmt.Errorf("standard input can be read only once: %s", names), "write the others to files")
}
