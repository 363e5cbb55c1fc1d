package main

import (
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/world"
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

// answerLast answers requests, each in the cluster that the one before left, and returns
// the last one.
func answerLast(ctx context.Context, w *loaded, requests []scenario.Request, d scenario.Defaults, stderr io.Writer) (asked world.Asked, result *simulator.Result, err error) {
	sim := w.Simulator()
	for _, request := range requests {
		asked, err = w.Ask(sim, request, d)
		printWarnings(stderr, asked.Warnings)
		if err != nil {
			return asked, nil, err
		}
		if result, err = asked.Answer(ctx); err != nil {
			return asked, nil, err
		}
		sim = result.Next
	}
	return asked, result, nil
}
