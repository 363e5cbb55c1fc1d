package main

import (
	"context"
	"errors"
	"io"

	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/gitfiles"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif/diff"
	"github.com/admsim/admsim/internal/whatif/equivalence"
)

// runEquivalent reports whether both worlds decide the same. The corpus may be left out.
func (d *diffCommand) runEquivalent(ctx context.Context, commit *gitfiles.Files, in corpus.Input, hasCorpus bool, options scenario.Options, stdout, stderr io.Writer) (err error) {
	d.output.command = formats.Survey
	if err := d.output.check(); err != nil {
		return err
	}
	redactor, err := d.secrets.redactor()
	if err != nil {
		return err
	}
	d.world.unmeasured = true
	base, head, closeBoth, err := d.load(ctx, commit, in, options, stderr)
	if err != nil {
		return err
	}
	defer closeBoth()
	before, unnamedBase := base.flags.surveyed(base.name, base.loaded)
	after, unnamedHead := head.flags.surveyed(head.name, head.loaded)
	if err := joinSorted(unnamedBase, unnamedHead); err != nil {
		return err
	}
	named := base
	if commit != nil {
		named = head
	}
	var requests traffic.Corpus
	if hasCorpus || len(named.Bag.Requests) > 0 {
		all, end, err := openCorpus(in, named.Bag.Requests, &d.requests, head.Simulator(), options, stderr)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
		requests = all
	}
	if err := d.output.ready(); err != nil {
		return err
	}
	makeBase, makeHead := base.flags.factory(ctx, base.loaded, named.Bag.Objects), head.flags.factory(ctx, head.loaded, named.Bag.Objects)
	defer makeBase.Close()
	defer makeHead.Close()
	ctx, stop := interruptible(ctx)
	defer stop()
	question, err := equivalence.New(ctx, equivalence.Side{Asked: before, Make: makeBase.Make}, equivalence.Side{Asked: after, Make: makeHead.Make},
		equivalence.Options{Messages: d.messages, Defaults: d.requests.defaults()})
	if err != nil {
		return err
	}
	result, err := diff.Run(ctx, makeBase.Make, makeHead.Make, question.Corpus(requests),
		diff.Options{Jobs: d.jobs, Samples: d.samples, Defaults: d.requests.defaults(), Redactor: redactor, Counts: question.Counts, Answered: question.Answered})
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	answer := question.Answer(result.Document(before.Name, after.Name))
	if err := writeWhatif(&d.output, stdout, answer); err != nil {
		return err
	}
	switch {
	case result.Undecided > 0:
		return unanswered(result.Errors)
	case answer.Verdict == document.Untried:
		return hinted(errors.New("no request was tried that anything compared is asked about"), "name some as a corpus")
	case d.exitCode && answer.Verdict != document.Equivalent:
		return errDenied
	}
	return nil
}
