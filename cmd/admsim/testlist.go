package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite"
)

// checkSelected refuses to run nothing at all, as far as all suites could be loaded.
func (t *testCommand) checkSelected(loaded []loadedSuites, selects selection) error {
	all, err := casesOf(loaded)
	if err != nil || selects == nil || len(all.selected(selects)) > 0 {
		return nil
	}
	return t.selectsNone(all)
}

func (t *testCommand) selectsNone(all caseNames) error {
	return t.empty(fmt.Errorf("--run %s selects no case", t.run), all.hint(t.run))
}

// listCases prints the names of the cases that would run, and behind those of suites that are called
// the same where they are.
func (t *testCommand) listCases(loaded []loadedSuites, selects selection, stdout, stderr io.Writer) error {
	all, wrong := casesOf(loaded)
	var suites []scenario.Suite
	for _, one := range loaded {
		suites = append(suites, one.suites...)
	}
	shared := map[string]bool{}
	for i, twice := range suite.Namesakes(suites) {
		if twice != nil {
			shared[suites[i].Name] = true
			printWarnings(stderr, []*scenario.Error{twice})
		}
	}
	selected := all.selected(selects)
	for _, one := range selected {
		text := one.String()
		if shared[one.suite] {
			text += "  " + one.at.String()
		}
		if _, err := fmt.Fprintln(stdout, text); err != nil {
			return err
		}
	}
	if len(selected) == 0 && wrong == nil {
		return t.selectsNone(all)
	}
	return wrong
}

// A caseName is what a case is called, in one combination of its matrix, and where its suite is.
type caseName struct {
	suite, name string
	of          string // the name without the combination
	at          scenario.Source
}

func (c caseName) String() string { return c.suite + "/" + c.name }

type caseNames []caseName

// casesOf are the names of all cases, in the order of files. The error is what could not be loaded.
func casesOf(loaded []loadedSuites) (all caseNames, err error) {
	var errs []error
	for _, one := range loaded {
		if one.err != nil {
			errs = append(errs, one.err)
		}
		for _, s := range one.suites {
			for _, c := range s.Cases {
				for _, name := range suite.Names(c) {
					all = append(all, caseName{s.Name, name, c.Name, s.Source})
				}
			}
		}
	}
	return all, errors.Join(errs...)
}

func (all caseNames) selected(selects selection) (found caseNames) {
	for _, one := range all {
		if selects == nil || selects(one.suite, one.name) {
			found = append(found, one)
		}
	}
	return found
}

// selectedBy are those that an expression selects, none where it is not one.
func (all caseNames) selectedBy(expression string) caseNames {
	selects, err := selectCases(expression)
	if err != nil || selects == nil {
		return nil
	}
	return all.selected(selects)
}
