package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/world"
)

// addWhatifOutput adds the flags about output of the commands that ask what would happen.
func addWhatifOutput(c *cobra.Command, f *outputFlags) {
	names := make([]string, len(report.WhatifFormats()))
	for i, format := range report.WhatifFormats() {
		names[i] = string(format)
	}
	flags := c.Flags()
	flags.StringArrayVarP(&f.outputs, "output", "o", nil, "output `FORMAT` ("+strings.Join(names, ", ")+"), or FORMAT=FILE to write to a file; repeatable (default text)")
	flags.StringVar(&f.colour, "color", "auto", "colour in text: auto, always or never; NO_COLOR turns auto off")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show all that is known")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colours, cobra.ShellCompDirectiveNoFileComp))
}

// writeWhatif writes an answer to all outputs asked for.
func writeWhatif(f *outputFlags, stdout io.Writer, answer report.Whatif) error {
	colour, err := f.coloured(stdout)
	if err != nil {
		return err
	}
	outputs := f.outputs
	if len(outputs) == 0 {
		outputs = []string{string(report.Text)}
	}
	toStdout := ""
	for _, o := range outputs {
		name, path, isFile := strings.Cut(o, "=")
		format, err := report.ParseFormatOf(name, report.WhatifFormats())
		if err != nil {
			return err
		}
		options := report.Options{Verbose: f.verbose, Colour: colour}
		switch {
		case isFile && path == "":
			return fmt.Errorf("output %q names no file", o)
		case isFile:
			options.Colour = f.colour == "always"
			file := &outputFile{path: path}
			if err := report.WriteWhatif(file, format, answer, options); err != nil {
				return err
			}
			if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
				return fmt.Errorf("writing the result: %w", err)
			}
		case toStdout != "":
			return hinted(errors.New("two outputs for standard output: "+toStdout+" and "+o), "write one of them to a file: -o "+name+"=FILE")
		default:
			toStdout = o
			if err := report.WriteWhatif(stdout, format, answer, options); err != nil {
				return fmt.Errorf("writing the result: %w", err)
			}
		}
	}
	return nil
}

// addAsking adds the flags about who sends what was written, and how much runs at once.
func addAsking(c *cobra.Command, f *requestFlags, jobs *int) {
	flags := c.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of what names none (default \"default\")")
	flags.StringVar(&f.as, "as", "", "`USER` who asks, where the request does not say (default a cluster administrator)")
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
