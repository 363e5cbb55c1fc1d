package main

import (
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/report"
)

// addWhatifOutput adds the flags about output of the commands that ask what would happen;
// more are formats that not all of them know.
func addWhatifOutput(c *cobra.Command, f *outputFlags, more ...report.Format) {
	f.addOutputs(c, append(report.WhatifFormats(), more...))
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show all that is known")
	c.PreRunE = func(*cobra.Command, []string) error { return f.check() } // before all the work
}

// writeWhatif writes an answer to all outputs asked for.
func writeWhatif(f *outputFlags, stdout io.Writer, answer report.Whatif) error {
	outputs, err := f.parse(stdout, report.Text)
	if err != nil {
		return err
	}
	return write(outputs, stdout, report.Options{Verbose: f.verbose}, func(w io.Writer, format report.Format, o report.Options) error {
		return report.WriteWhatif(w, format, answer, o)
	})
}

// addAsking adds the flags about who sends what was written, and how much runs at once.
func addAsking(c *cobra.Command, f *requestFlags, jobs *int) {
	flags := c.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of what names none (default \"default\")")
	flags.StringVar(&f.as, "as", "", "`USER` who asks, where the request does not say (default a cluster administrator); whether RBAC lets them is not checked")
	flags.StringArrayVar(&f.asGroups, "as-group", nil, "`GROUP` of that user; repeatable")
	flags.IntVarP(jobs, "jobs", "j", runtime.NumCPU(), "how many recorded requests to run side by side")
}
