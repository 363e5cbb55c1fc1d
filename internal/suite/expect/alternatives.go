package expect

import (
	"context"
	"slices"

	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/simulator"
)

// alternatives checks that the expectation holds for every answer that the server may give, if it is undetermined which
// one it gives. Otherwise the case would pass or fail by accident. failures are those of the answer itself.
func (c *check) alternatives(ctx context.Context, failures []outcome.Failure) {
	if c.Result.Undetermined == "" {
		return
	}
	itself := c.failures(ctx, c.Result)
	var others []outcome.Failure // at most one for each path
	for _, possible := range c.Result.Alternatives {
		all := c.failures(ctx, &simulator.Result{Response: possible, Next: c.Result.Next})
		for i := range failures {
			f := &failures[i]
			if f.Hint == "" && has(itself, f.Path) && !has(all, f.Path) {
				f.Hint = "the server may also answer as expected, since " + c.Result.Undetermined + "; " + expectAll
			}
		}
		for _, f := range all {
			if has(itself, f.Path) || has(others, f.Path) {
				continue
			}
			f.Got += ", which the server may answer instead, since " + c.Result.Undetermined
			if f.Hint != "" {
				f.Hint += "; "
			}
			f.Hint += expectAll
			others = append(others, f)
		}
	}
	if len(itself) == 0 {
		c.Case.Failures = append(c.Case.Failures, others...)
	}
}

const expectAll = "expect what holds for all possible answers: leave out what differs, or give a pattern that matches each"

func has(failures []outcome.Failure, path string) bool {
	return slices.ContainsFunc(failures, func(f outcome.Failure) bool { return f.Path == path })
}

// failures returns what would not be as expected if the server gave one of the possible answers. The state afterwards
// is that of the answer itself.
func (c *check) failures(ctx context.Context, possible *simulator.Result) []outcome.Failure {
	judge := *c.Judge
	judge.Case, judge.Write = &outcome.Case{}, nil
	other := *c
	other.Judge = &judge
	other.Result = possible
	if other.verdict() {
		other.checkStatus()
		other.deniedBy()
		other.object(ctx)
	}
	other.warnings()
	other.auditAnnotations()
	other.trace()
	return judge.Case.Failures
}
