package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completed is where a flag has the values that a shell completes.
const completed = "admsim-values"

// completes has a shell complete values of a flag.
func completes(c *cobra.Command, flag string, values []string) {
	_ = c.Flags().SetAnnotation(flag, completed, values)
}

// registerCompletions tells cobra of the values. It keeps each flag that it is told of, and with it all of
// the command, for as long as the process lives: a program that runs commands one after the other would
// grow with every one.
func registerCompletions(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if values := f.Annotations[completed]; values != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, sub := range c.Commands() {
		registerCompletions(sub)
	}
}
