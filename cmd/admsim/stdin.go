package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkStdin refuses a command line in which more than one thing is to be read from standard
// input: the second one would find nothing.
func checkStdin(c *cobra.Command, args []string) error {
	var by []string
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		for _, value := range values {
			if value == "-" {
				by = append(by, name+" -")
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
