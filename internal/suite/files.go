package suite

import (
	"context"
	"errors"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/cases"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/suitefile"
)

// Run runs the suites that could be loaded. Suites that could not be loaded keep their place in the results.
func Run(ctx context.Context, loaded []suitefile.Loaded, o Options) *outcome.Results {
	var suites []scenario.Suite
	for _, one := range loaded {
		if one.Err == nil {
			suites = append(suites, one.Suites...)
			continue
		}
		o.AllowUnused, o.AllowUnreached = true, true // cases of this suite may have used or reached them
	}
	results := runAll(ctx, suites, o)
	ran := results.Suites
	results.Suites = nil
	for _, one := range loaded {
		if one.Err != nil {
			err := scenario.Together(one.Err, wrongIn(ctx, one.Suites, o))
			results.Suites = append(results.Suites, outcome.Suite{Name: one.File, Source: scenario.Source{File: one.File}, Err: err})
			continue
		}
		results.Suites = append(results.Suites, ran[:len(one.Suites)]...)
		ran = ran[len(one.Suites):]
	}
	return results
}

// CasesOf returns the names of all cases, in the order of files. The error is about files that could not be loaded.
func CasesOf(loaded []suitefile.Loaded) (all cases.Names, err error) {
	var errs []error
	for _, one := range loaded {
		if one.Err != nil {
			errs = append(errs, one.Err)
		}
		for i := range one.Suites {
			all = append(all, cases.Of(&one.Suites[i])...)
		}
	}
	return all, errors.Join(errs...)
}
