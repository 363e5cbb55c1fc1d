package main

import (
	"fmt"
	"io"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite"
	"github.com/admsim/admsim/internal/suite/cases"
	"github.com/admsim/admsim/internal/suitefile"
)

// checkSelected refuses to run no case at all, if all suites could be loaded.
func (t *testCommand) checkSelected(loaded []suitefile.Loaded, selects cases.Selection) error {
	all, err := suite.CasesOf(loaded)
	if err != nil || selects == nil || len(all.Selected(selects)) > 0 {
		return nil
	}
	return t.selectsNone(all)
}

func (t *testCommand) selectsNone(all cases.Names) error {
	return t.empty(fmt.Errorf("--run %s selects no case", t.run), all.Hint(t.run))
}

// listCases prints the names of the cases that would run. Cases of suites that share a name are followed by their
// place.
func (t *testCommand) listCases(loaded []suitefile.Loaded, selects cases.Selection, stdout, stderr io.Writer) error {
	all, wrong := suite.CasesOf(loaded)
	var suites []scenario.Suite
	for _, one := range loaded {
		suites = append(suites, one.Suites...)
	}
	shared := map[string]bool{}
	for i, twice := range cases.Namesakes(suites) {
		if twice != nil {
			shared[suites[i].Name] = true
			printWarnings(stderr, []*scenario.Error{twice})
		}
	}
	selected := all.Selected(selects)
	for _, one := range selected {
		text := one.String()
		if shared[one.Suite] {
			text += "  " + one.Source.String()
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
