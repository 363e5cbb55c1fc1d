package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkLine checks what can be wrong with the command line of any command; completion is about
// one that is not yet written.
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
	return checkStdin(c, args)
}

// exclusive is where cobra notes the groups of flags of which one only may be set.
const exclusive = "cobra_annotation_mutually_exclusive"

// checkTogether refuses flags that exclude each other.
func checkTogether(c *cobra.Command) (err error) {
	first := map[string]*pflag.Flag{} // set of a group
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

// Flags whose values have one of these names are not given without one: a variable of a script
// that is not set would make --as a cluster administrator.
var needed = []string{"PATH", "FILE", "FOLDER", "DIR", "USER", "GROUP", "URL"}

// checkGiven refuses arguments and values of flags that are empty.
func checkGiven(c *cobra.Command, args []string) error {
	var empty string
	c.Flags().Visit(func(f *pflag.Flag) {
		if name, _ := pflag.UnquoteUsage(f); slices.Contains(needed, name) && slices.Contains(valuesOf(f), "") {
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

// hintArgs shows how a command is used to who gives it too many or too few arguments.
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

// checkStdin refuses a command line in which more than one thing is to be read from standard
// input: the second one would find nothing.
func checkStdin(c *cobra.Command, args []string) error {
	var by []string
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, value := range valuesOf(f) {
			if value == "-" {
				by = append(by, nameOfFlag(f)+" -")
			}
		}
	})
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
