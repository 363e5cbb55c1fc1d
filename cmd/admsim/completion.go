package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valuesAnnotation is the annotation with the values that a shell completes for a flag.
const valuesAnnotation = "admsim-values"

// setCompletions sets the values that a shell completes for a flag.
func setCompletions(c *cobra.Command, flag string, values []string) {
	_ = c.Flags().SetAnnotation(flag, valuesAnnotation, values)
}

// registerCompletions passes the values to cobra. cobra keeps each registered flag, and with it the whole command, for
// as long as the process lives: a program that runs many commands would grow with each of them.
func registerCompletions(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if values := f.Annotations[valuesAnnotation]; values != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, sub := range c.Commands() {
		registerCompletions(sub)
	}
}
