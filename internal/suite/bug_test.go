package suite

import (
	"errors"
	"testing"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// A panic while a case runs becomes the error of that case.
func TestBugIsTheErrorOfItsCase(t *testing.T) {
	u := &unit{of: &scenario.Case{Source: scenario.Source{File: "admsim.yaml", Line: 7}, Steps: []scenario.CaseStep{{}}}}
	u.guarded(t.Context()) // panics, since it has no suite
	if caught := (*bug.Error)(nil); u.result.Outcome != outcome.Errored || !errors.As(u.result.Err, &caught) {
		t.Errorf("the case ends with %q and error %v", u.result.Outcome, u.result.Err)
	}
}
