package suite

import (
	"context"
	"fmt"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/client"
	"github.com/admsim/admsim/internal/suite/expect"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/suite/variants"
)

// guarded runs a case. A bug in admsim becomes its error.
func (u *unit) guarded(ctx context.Context) {
	var err error
	defer func() {
		if err != nil {
			u.result.Outcome, u.result.Err = outcome.Errored, fmt.Errorf("%s: %w", u.of.Source, err)
		}
	}()
	defer bug.Catch(&err)
	defer func() { u.judge.HideSecrets(u.answers) }()
	u.run(ctx)
}

// run sends the requests of a case, one after the other, and compares the answers with what is expected.
func (u *unit) run(ctx context.Context) {
	u.result.Outcome = outcome.Passed
	x, err := u.execution()
	if err == nil {
		for i, step := range u.of.Steps {
			if err = x.step(ctx, i, step); err != nil {
				break
			}
		}
	}
	switch {
	case err != nil:
		u.result.Outcome, u.result.Err = outcome.Errored, variants.Hinted(err, u.of)
	case len(u.result.Failures) > 0:
		u.result.Outcome = outcome.Failed
	}
}

// answersShown returns the answers of the case, for those who want to see them.
func (u *unit) answersShown() (all []outcome.Answer) {
	if u.options.Show == nil {
		return nil
	}
	for _, a := range u.answers {
		all = append(all, outcome.Answer{Label: a.Label, Show: u.options.Show(a)})
	}
	return all
}

// An execution is one run of a case: a world of its own, in which each request finds what the previous one left.
type execution struct {
	*unit
	client *client.Client
}

func (u *unit) execution() (*execution, error) {
	v, err := u.world.Variant()
	if err != nil {
		return nil, err
	}
	u.variant = v
	w, fault, err := u.world.Enter(v)
	if err != nil {
		return nil, err
	}
	u.fault, u.judge.Conditions = fault, v.Conditions
	return &execution{unit: u, client: client.New(w, u.defaults())}, nil
}

func (u *unit) defaults() scenario.Defaults {
	d := u.suite.Defaults
	if d.User.Username == "" {
		d.User = u.options.User
	}
	return d
}

// step sends one request and checks the answer. An error means that admsim cannot tell.
func (x *execution) step(ctx context.Context, i int, step scenario.CaseStep) error {
	prefix := "expect"
	if len(x.of.Steps) > 1 {
		prefix = fmt.Sprintf("steps[%d].expect", i)
	}
	if step.Every != nil {
		return x.every(step.Every, step.Expect, prefix)
	}
	asked, result, err := x.client.Send(ctx, step)
	if err != nil {
		return err
	}
	label := step.Name
	if label == "" && len(x.of.Steps) > 1 {
		label = fmt.Sprintf("step %d", i+1)
	}
	a := x.note(expect.Answer{Label: label, Asked: asked, Result: result})
	children := map[string][]scenario.Expect{}
	for _, e := range step.Expect {
		if !x.combination.Fits(e) {
			continue
		}
		x.judge.Check(ctx, a, x.answers[a], e, prefix)
		for _, child := range e.Expand {
			children[child.Kind] = append(children[child.Kind], child.Expect)
		}
	}
	if step.Expand && x.answers[a].Allowed() {
		return x.expand(ctx, a, children, prefix+".expand")
	}
	return nil
}

// note adds an answer, and returns its index.
func (x *execution) note(a expect.Answer) int {
	x.answers = append(x.answers, a)
	x.result.Elapsed += a.Elapsed()
	return len(x.answers) - 1
}
