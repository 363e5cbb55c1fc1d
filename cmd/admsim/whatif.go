package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// addWhatifOutput adds the output flags of the commands that ask what would happen.
func addWhatifOutput(c *cobra.Command, f *outputFlags) {
	f.addOutputs(c, c.Name())
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show everything that is known")
	c.PreRunE = func(c *cobra.Command, _ []string) error { // before all the work
		if all, err := c.Flags().GetBool("all"); err == nil && all {
			f.command = formats.Survey
		}
		return f.check()
	}
}

// writeWhatif writes an answer to all outputs.
func writeWhatif(f *outputFlags, stdout io.Writer, answer document.Whatif) error {
	outputs, err := f.parse(stdout, formats.Text)
	if err != nil {
		return err
	}
	return write(outputs, stdout, document.Options{Verbose: f.verbose}, func(w io.Writer, format formats.Format, o document.Options) error {
		return formats.WriteWhatif(w, format, answer, o)
	})
}

// unanswered returns the error for requests without an answer. Its hint is for the first request that a hint is known
// for.
func unanswered(why []whatif.RequestError) error {
	err := errors.New("not all requests could be answered")
	for _, one := range why {
		if bug.Is(one.Err) {
			return &bug.Found{Err: fmt.Errorf("not all requests could be answered: %w", one.Err)}
		}
	}
	for _, one := range why {
		var nobody *dispatch.NoBackendError
		var unserved *simulator.NotServedError
		switch {
		case errors.As(one.Err, &nobody):
			return hinted(err, "--allow-unmatched lets webhooks without a backend allow everything")
		case errors.As(one.Err, &unserved):
			return hinted(err, fmt.Sprintf("give the definition of %s with -C: admsim snapshot copies the manifests of a real cluster", unserved.Kind.GroupKind()))
		}
	}
	return err
}

// addAsking adds the flags that say who sends plain manifests, and how many requests run in parallel.
func addAsking(c *cobra.Command, f *requestFlags, jobs *int) {
	flags := c.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`NAMESPACE` for objects that name none (default \"default\")")
	flags.StringVar(&f.as, "as", "", "`USER` who sends the request, if it does not say (default a cluster administrator); with --authorization=RBAC, roles decide what they may do")
	flags.StringArrayVar(&f.asGroups, "as-group", nil, "`GROUP` of that user; repeatable")
	f.addExpand(c)
	f.addFieldValidation(c)
	whole(flags, jobs, "jobs", "j", 1, runtime.NumCPU(), "how many recorded requests to run in parallel")
}

// openCorpus returns the requests of a corpus, after the further ones, and a function that ends the reading. A terminal
// shows how many of them were read. asking says who sends plain manifests, and whether controllers follow; judged is the
// cluster that answers.
func openCorpus(in corpus.Input, further []scenario.Request, asking *requestFlags, judged *simulator.Simulator, o scenario.Options, stderr io.Writer) (traffic.Corpus, func() error, error) {
	if err := asking.checkFieldValidation(); err != nil {
		return nil, nil, err
	}
	moved, erase := countProgress(stderr, "requests")
	o.Changed = func(warning *scenario.Error) {
		erase()
		printWarning(stderr, placed(warning), warning.Hint)
	}
	opened, end, err := in.Open(further, corpus.Options{
		Defaults: asking.defaults(), Reading: o, Expand: asking.expand, Judged: judged.State(),
		Warn: func(text, next string) {
			erase()
			printWarning(stderr, text, next)
		},
	})
	if err != nil {
		return nil, nil, err
	}
	return countCorpus(opened, moved, erase), func() error {
		erase()
		return end()
	}, nil
}
