package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/whatif/check"
)

const checkUsage = `check runs requests to find out whether webhooks and policies do what the server expects of them:

  idempotence   a mutating webhook or policy changes nothing more when it gets its own output
  order         mutating webhooks make the same object in whatever order they are called, and so do
                mutating policies, which the server always applies before webhooks: every two of them
                in both orders, and all of them in all orders, or in as many as --orders says
  reinvocation  after the rounds of the server, no mutating webhook or policy would change anything
                more; if one would, whether reinvocationPolicy IfNeeded helps
  final-state   every webhook that judges the object sees it in its final state, and no webhook or
                policy refuses what others make of it
  bypass        requests that a webhook or policy would refuse do not get past it: because of a selector
                or a match condition; because it is down or fails, and is then ignored; or because the
                binding of a policy only warns, has no params, or does not exist

One more check runs no requests, since its answer holds for every possible request:

  gaps          which requests are stored although no validating webhook or policy with failurePolicy
                Fail has seen them, for each resource that validators look at; --validators names
                those that count

Without CHECK, all but gaps are run. The corpus is the paths after the checks, or those of -f, or else the
requests among the manifests. Each case of a suite runs in the cluster that its suite sets up. Documents
of kind Backends say how webhooks answer; a webhook without a backend is an error, since nothing is
known about it. The exit code is 1 if there is a finding.`

const checkExample = `  admsim check -C world/ requests/
  admsim check order idempotence -C world/ audit.log.gz
  admsim check gaps -C world/ --validators 'pods.*'`

type checkCommand struct {
	world    worldFlags
	requests requestFlags
	output   outputFlags
	corpus   []string
	ask      check.Options

	validators []string // for gaps
	survey     surveyFlags
}

// gaps is the check that covers all possible requests instead of a corpus.
const gaps = "gaps"

func newCheck() *cobra.Command {
	k := &checkCommand{}
	names := make([]string, len(check.Names()))
	for i, name := range check.Names() {
		names[i] = string(name)
	}
	names = append(names, gaps)
	c := &cobra.Command{
		Use:       "check [CHECK]... [-C PATH]... [CORPUS]...",
		Short:     "Check that webhooks and policies commute and cannot be bypassed",
		Long:      checkUsage,
		Example:   checkExample,
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			return k.run(c.Context(), args, names, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(requestFiles),
	}
	k.world.add(c)
	k.world.addCluster(c, &k.requests)
	addWhatifOutput(c, &k.output)
	addAsking(c, &k.requests, &k.ask.Jobs)
	flags := c.Flags()
	flags.StringArrayVarP(&k.corpus, "filename", "f", nil, "`PATH` of requests: manifests to create, kind Request, AdmissionReviews, recordings, suites; repeatable")
	whole(flags, &k.ask.Alike, "alike", "", 1, 25, "how many requests to try of those for which the same webhooks and policies do the same")
	whole(flags, &k.ask.Orders, "orders", "", 1, 24, "how many orders to try for one request; all, if there are no more than that")
	flags.Uint64Var(&k.ask.Seed, "seed", 1, "seed for drawing orders, if not all are tried")
	whole(flags, &k.ask.Samples, "samples", "", 1, 3, "how many requests to name for a finding; -v shows them")
	flags.StringArrayVar(&k.validators, "validators", nil, "with gaps: `NAME` of the webhooks and policies that count, where * matches any part; repeatable (default all)")
	k.survey.addWitnesses(c)
	k.world.addUnmatched(c)
	return c
}

func (k *checkCommand) run(ctx context.Context, args, names []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	if slices.Contains(args, gaps) {
		if len(args) > 1 || len(k.corpus) > 0 {
			return hinted(errors.New("gaps is about every request: it goes with no corpus and no other check"), "run the other checks by themselves")
		}
		return k.runGaps(ctx, k.output.reading(stdin, &k.world), stdout, stderr)
	}
	if len(k.validators) > 0 || k.survey.witnesses != "" {
		return hinted(errors.New("--validators and --witnesses need the check gaps"), "admsim check gaps -C world/")
	}
	for _, name := range args {
		if one := check.Name(name); slices.Contains(check.Names(), one) {
			k.ask.Checks = append(k.ask.Checks, one)
			continue
		}
		if _, err := os.Stat(name); err != nil && !strings.ContainsAny(name, "-./\\") {
			unknown := didyoumean.Unknown(fmt.Sprintf("no check and no file is named %q", name), name, names)
			unknown.Else = "the checks are " + strings.Join(names, ", ")
			return unknown
		}
		k.corpus = append(k.corpus, name)
	}
	options := k.output.reading(stdin, &k.world)
	w, wrong := k.world.load(ctx, nil, options, stderr)
	in, unread := corpus.Find(k.corpus, options)
	if err := joinSorted(wrong, unread); err != nil {
		return err
	}
	defer w.close(stderr)
	k.ask.Defaults = k.requests.defaults()
	corpus, end, err := openCorpus(in, w.Bag.Requests, &k.requests, w.Simulator(), options, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := k.output.ready(); err != nil {
		return err
	}
	factory := k.world.factory(ctx, w, w.Bag.Objects)
	defer factory.Close()
	result, err := check.Run(ctx, factory.Make, corpus, k.ask)
	if err != nil {
		return err
	}
	if result.Idle && result.Undecided == 0 {
		return hinted(errors.New("there are no webhooks and no policies to check"), "name the manifests of their configurations with -C; a policy counts with its bindings")
	}
	if err := writeWhatif(&k.output, stdout, result.Document()); err != nil {
		return err
	}
	switch {
	case result.Undecided > 0:
		return unanswered(result.Errors)
	case len(result.Findings) > 0:
		return errDenied
	}
	return nil
}

// runGaps runs the check gaps, whose answer holds for every possible request.
func (k *checkCommand) runGaps(ctx context.Context, options scenario.Options, stdout, stderr io.Writer) error {
	k.survey.all, k.world.allowUnmatched = true, true
	if err := k.survey.use(gaps, &k.output); err != nil {
		return err
	}
	answer, err := k.survey.answer(ctx, &k.world, &k.output, options, stdout, stderr, func(_ *loaded, asked *survey.World) (*document.Survey, error) {
		return survey.Gaps(asked, k.validators...)
	})
	if err != nil {
		return err
	}
	if answer.Has(document.IsUnseen) || answer.Has(document.IsSeenOpen) {
		return errDenied
	}
	return nil
}
