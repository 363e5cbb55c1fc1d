package main

import (
	"cmp"
	"context"
	"io"

	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/gitfiles"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/survey"
)

// runAll answers for every request.
func (d *diffCommand) runAll(ctx context.Context, commit *gitfiles.Files, options scenario.Options, stdout, stderr io.Writer) error {
	if err := d.survey.use("--all", &d.output); err != nil {
		return err
	}
	if err := d.checkEmpty(corpus.Input{}); err != nil {
		return err
	}
	if d.baseRelease != d.headRelease {
		d.baseRelease, d.headRelease = cmp.Or(d.baseRelease, d.world.release), cmp.Or(d.headRelease, d.world.release)
	}
	d.world.unexplained, d.world.allowUnmatched = true, true
	baseFlags, headFlags := d.sides(commit)
	once := onlyNew{stderr, map[string]bool{}}
	base, wrongBase := baseFlags.load(ctx, nil, options, once)
	head, wrongHead := headFlags.load(ctx, nil, options, once)
	if err := together(wrongBase, wrongHead); err != nil {
		return err
	}
	defer base.close(once)
	defer head.close(once)
	if err := d.output.ready(); err != nil {
		return err
	}
	baseName, headName := d.names(baseFlags, headFlags)
	before, unnamedBase := baseFlags.surveyed(baseName, base)
	after, unnamedHead := headFlags.surveyed(headName, head)
	if err := together(unnamedBase, unnamedHead); err != nil {
		return err
	}
	answer := survey.Diff(before, after)
	if err := d.survey.write(&d.output, stdout, stderr, answer); err != nil {
		return err
	}
	if d.exitCode && (len(answer.Subjects) > 0 || answer.Refails()) {
		return errDenied
	}
	return nil
}
