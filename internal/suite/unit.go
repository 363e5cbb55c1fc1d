package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// guarded runs a case. A bug in admsim is its error.
func (u *unit) guarded(ctx context.Context) {
	var err error
	defer func() {
		if err != nil {
			u.result.Outcome, u.result.Err = outcome.Errored, fmt.Errorf("%s: %w", u.of.Source, err)
		}
	}()
	defer bug.Catch(&err)
	defer u.hideSecrets()
	u.run(ctx)
}

// run asks the requests of a case, one after the other, and compares the answers with what
// is expected.
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
		u.result.Outcome, u.result.Err = outcome.Errored, hinted(err, u.of)
	case len(u.result.Failures) > 0:
		u.result.Outcome = outcome.Failed
	}
}

// An answered request is one of a case, and what was answered.
type answered struct {
	label  string // see [outcome.Answer]
	Asked  world.Asked
	Result *simulator.Result
}

// answersShown are the answers of the case, for those who want to see them.
func (u *unit) answersShown() (all []outcome.Answer) {
	if u.options.Show == nil {
		return nil
	}
	for _, a := range u.answers {
		all = append(all, outcome.Answer{Label: a.label, Show: u.options.Show(a.Asked, a.Result)})
	}
	return all
}

// An execution is one run of a case: a world of its own, in which the next request finds
// what the last one left.
type execution struct {
	*unit
	world *world.World
	sim   *simulator.Simulator
}

func (u *unit) execution() (*execution, error) {
	v, err := u.variantOf()
	if err != nil {
		return nil, err
	}
	u.variant = v
	x := &execution{unit: u}
	resolver, err := u.resolver(v)
	if err != nil {
		return nil, err
	}
	if x.world, err = v.world.Fork(resolver); err != nil {
		return nil, err
	}
	x.sim = x.world.Simulator()
	return x, nil
}

func (x *execution) defaults() scenario.Defaults {
	d := x.suite.Defaults
	if d.User.Username == "" {
		d.User = x.options.User
	}
	return d
}

// step asks one request and checks the answer. An error means that admsim cannot tell.
func (x *execution) step(ctx context.Context, i int, step scenario.CaseStep) error {
	asked, err := Ask(x.world, x.sim, step, x.defaults())
	if err != nil {
		return err
	}
	label := step.Name
	if label == "" && len(x.of.Steps) > 1 {
		label = fmt.Sprintf("step %d", i+1)
	}
	a, err := x.answer(ctx, label, asked)
	if err != nil {
		return err
	}
	prefix := "expect"
	if len(x.of.Steps) > 1 {
		prefix = fmt.Sprintf("steps[%d].expect", i)
	}
	children := map[string][]scenario.Expect{}
	for _, e := range step.Expect {
		if !x.combination.fits(e) {
			continue
		}
		x.check(ctx, a, e, prefix)
		for _, child := range e.Expand {
			children[child.Kind] = append(children[child.Kind], child.Expect)
		}
	}
	if step.Expand && x.answers[a].Result.Code < 400 {
		return x.expand(ctx, a, children, prefix+".expand")
	}
	return nil
}

// Ask makes the request of a step ready for the cluster of sim, which is w's or one that
// earlier requests left.
func Ask(w *world.World, sim *simulator.Simulator, step scenario.CaseStep, d scenario.Defaults) (world.Asked, error) {
	if step.Recorded != nil {
		return recorded(sim, *step.Recorded)
	}
	return w.Ask(sim, step.Request.Strict(), d)
}

// answer has the server answer, and returns the position of the answer.
func (x *execution) answer(ctx context.Context, label string, asked world.Asked) (int, error) {
	result, err := asked.Answer(ctx)
	if err != nil {
		return 0, err
	}
	x.sim = result.Next
	x.answers = append(x.answers, answered{label, asked, result})
	x.result.Elapsed += elapsed(result)
	return len(x.answers) - 1, nil
}

// elapsed is how long the server would have taken.
func elapsed(r *simulator.Result) time.Duration {
	if len(r.Admissions) == 0 {
		return 0
	}
	last := r.Admissions[len(r.Admissions)-1]
	return last.Request.Elapsed + last.Elapsed
}
