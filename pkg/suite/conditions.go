package suite

import (
	"errors"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/world"
)

// compile makes the conditions ready that are written in a suite, for the releases that its
// cases run in, and checks what its expectations name, and that there are some for every run of a
// case. As with all that is wrong with the files, what does not compile and what there is not is
// told before anything runs, and whether it would have been looked at does not matter.
func (s *suiteRun) compile(units []*unit) {
	c := &conditions{suiteRun: s}
	for i := range s.suite.Cases {
		c.errs = append(c.errs, unexpected(&s.suite.Cases[i])...)
	}
	for _, u := range units {
		c.unit(u)
	}
	s.err = scenario.Together(c.errs...)
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
	c.errs = append(c.errs, world.CheckMocks(u.of.Override.Backends, r.expressions))
	names := c.references(u, r)
	for _, step := range u.of.Steps {
		for _, e := range step.Expect {
			if u.combination.fits(e) {
				c.expect(r, names, e)
			}
		}
	}
	if len(names.errs) == 0 {
		return
	}
	if _, err := u.variantOf(); err != nil { // what has that name may be what is wrong
		names.errs = []error{err}
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
