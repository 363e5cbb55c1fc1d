package main

import (
	"context"
	"io"

	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/gitfiles"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/survey"
)

// runAll compares the worlds for every possible request.
func (d *diffCommand) runAll(ctx context.Context, commit *gitfiles.Files, options scenario.Options, stdout, stderr io.Writer) error {
	if err := d.survey.use("--all", &d.output); err != nil {
		return err
	}
	if err := d.checkEmpty(corpus.Input{}); err != nil {
		return err
	}
	d.world.unexplained, d.world.allowUnmatched = true, true
	base, head, closeBoth, err := d.load(ctx, commit, corpus.Input{}, options, stderr)
	if err != nil {
		return err
	}
	defer closeBoth()
	if err := d.output.ready(); err != nil {
		return err
	}
	before, unnamedBase := base.flags.surveyed(base.name, base.loaded)
	after, unnamedHead := head.flags.surveyed(head.name, head.loaded)
	if err := joinSorted(unnamedBase, unnamedHead); err != nil {
		return err
	}
	answer, err := survey.Diff(before, after)
	if err != nil {
		return err
	}
	if err := d.survey.write(&d.output, stdout, stderr, answer); err != nil {
		return err
	}
	if d.exitCode && (answer.Changed() > 0 || answer.Refails()) {
		return errDenied
	}
	return nil
}
