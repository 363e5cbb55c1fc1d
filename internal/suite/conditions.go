package suite

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/cases"
	"github.com/admsim/admsim/internal/suite/references"
	"github.com/admsim/admsim/internal/suite/variants"
)

// wrongIn returns the errors of suites that do not run because their files have errors: what [Run] would report about
// them before anything runs. They are reported together with the errors in the files.
func wrongIn(ctx context.Context, suites []scenario.Suite, o Options) error {
	var errs []error
	shared := variants.NewCompilers()
	for i := range suites {
		s := newSuiteRun(ctx, &suites[i], o, shared)
		units := s.all()
		errs = append(errs, s.compile(units), s.makeWorlds(units))
		s.worlds.Close()
	}
	return scenario.Together(errs...)
}

// compile compiles the conditions in a suite for the releases that its cases run in, and checks the names in its
// expectations, and that something is expected for every combination. Like errors in files, all these errors are
// reported before anything runs, whether or not the run would have reached them.
func (s *suiteRun) compile(units []*unit) error {
	c := &conditions{suiteRun: s}
	for i := range s.suite.Cases {
		c.errs = append(c.errs, cases.Unexpected(&s.suite.Cases[i])...)
	}
	for _, u := range units {
		c.unit(u)
	}
	return scenario.Together(c.errs...)
}

// makeWorlds makes the worlds of units. It returns the errors in them.
func (s *suiteRun) makeWorlds(units []*unit) error {
	var errs []error
	for _, u := range units {
		_, err := u.world.Variant()
		errs = append(errs, err)
	}
	return scenario.Together(errs...)
}

type conditions struct {
	*suiteRun
	names references.Checker
	errs  []error
}

func (c *conditions) unit(u *unit) {
	r, err := u.world.Release()
	if err != nil {
		c.errs = append(c.errs, err)
	}
	if r.Kubernetes == nil {
		return
	}
	c.errs = append(c.errs, r.Check(u.of.Override.Backends))
	names := c.names.Of(references.World{
		SuiteWorld: u.world.World(), Release: r.Kubernetes, Own: len(u.of.Override.Objects) > 0, Maker: u.world,
	}, u.of.Steps)
	names.Matrix(u.of.Matrix)
	for _, step := range u.of.Steps {
		if step.Every != nil {
			c.every(r, step.Every)
		}
		for _, e := range step.Expect {
			if u.combination.Fits(e) {
				c.expect(r, names, e)
			}
		}
	}
	c.errs = append(c.errs, names.Errs()...)
}

func (c *conditions) every(r *variants.Release, e *scenario.Every) {
	for _, one := range e.Conditions {
		if err := r.CheckCondition(one); err != nil {
			c.errs = append(c.errs, err)
		}
	}
}

func (c *conditions) expect(r *variants.Release, names *references.References, e scenario.Expect) {
	names.Expect(e)
	if e.Object != nil {
		for _, one := range e.Object.CEL {
			if err := r.Compile(one); err != nil {
				c.errs = append(c.errs, err)
			}
		}
	}
	for _, child := range e.Expand {
		c.expect(r, names, child.Expect)
	}
}
