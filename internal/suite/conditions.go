package suite

import (
	"context"
	"errors"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/expression"
)

// wrongIn is all that is wrong with suites that do not run since something is wrong with their files: what [Run]
// would tell of them before anything runs. So it is told together with what is wrong with the files.
func wrongIn(ctx context.Context, suites []scenario.Suite, o Options) error {
	var errs []error
	shared := newCompilers()
	for i := range suites {
		s := newSuiteRun(ctx, &suites[i], o, shared)
		units := s.all()
		errs = append(errs, s.compile(units), s.worlds(units))
		s.close()
	}
	return scenario.Together(errs...)
}

// compile makes the conditions ready that are written in a suite, for the releases that its
// cases run in, and checks what its expectations name, and that there are some for every run of a
// case. As with all that is wrong with the files, what does not compile and what there is not is
// told before anything runs, and whether it would have been looked at does not matter.
func (s *suiteRun) compile(units []*unit) error {
	c := &conditions{suiteRun: s}
	for i := range s.suite.Cases {
		c.errs = append(c.errs, unexpected(&s.suite.Cases[i])...)
	}
	for _, u := range units {
		c.unit(u)
	}
	return scenario.Together(c.errs...)
}

// worlds makes all worlds that these find. The error is what is wrong with them.
func (s *suiteRun) worlds(units []*unit) error {
	var errs []error
	for _, u := range units {
		_, err := u.variantOf()
		errs = append(errs, err)
	}
	return scenario.Together(errs...)
}

type conditions struct {
	*suiteRun
	configured []named // in the world of the suite
	errs       []error
}

func (c *conditions) unit(u *unit) {
	r, err := c.released(u.version())
	if err != nil {
		c.errs = append(c.errs, err)
	}
	if r.expressions == nil {
		return
	}
	c.errs = append(c.errs, backends.Check(u.of.Override.Backends, r.expressions))
	names := c.references(u, r)
	names.matrix(u.of.Matrix)
	for _, step := range u.of.Steps {
		for _, e := range step.Expect {
			if u.combination.fits(e) {
				c.expect(r, names, e)
			}
		}
	}
	c.errs = append(c.errs, names.errs...)
}

func (c *conditions) expect(r *released, names *references, e scenario.Expect) {
	names.expect(e)
	if e.Object != nil {
		for _, one := range e.Object.CEL {
			c.condition(r, one)
		}
	}
	for _, child := range e.Expand {
		c.expect(r, names, child.Expect)
	}
}

func (c *conditions) condition(r *released, one scenario.Condition) {
	if r.conditions[one.Expression] != nil {
		return
	}
	predicate, err := r.expressions.Predicate(one.Expression)
	if wrong := (*expression.CompileError)(nil); errors.As(err, &wrong) {
		c.errs = append(c.errs, one.Uncompiled(wrong))
		return
	}
	r.conditions[one.Expression] = predicate
}
