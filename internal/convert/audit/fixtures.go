package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/wholefile"
)

// Reasons why a review is not a case of a suite.
const (
	webhookEnded    recording.Code = "webhook-decided"   // a suite has no backend for it
	besideAdmission recording.Code = "besides-admission" // the server refused it outside of admission
	notRun          recording.Code = "cannot-tell"       // the log does not show everything that is needed
	otherVerdict    recording.Code = "another-verdict"   // the cluster that the log shows decides differently
)

// Fixtures writes a suite to a folder, with a file for each request.
type Fixtures struct {
	folder   string
	redactor *redact.Redactor
	suite    recordedSuite
	world    shownWorld
	added    map[string]addedCase // by name
}

// An addedCase is what is needed to explain why a case does not pass.
type addedCase struct {
	at      recording.Position
	refused metav1.StatusReason
}

// NewFixtures returns a writer of a suite in a folder. Secrets are removed, unless redactor is nil. After the suite is
// written, it has to run once, for [Fixtures.Keep].
func NewFixtures(folder string, redactor *redact.Redactor) (*Fixtures, error) {
	if found, err := os.ReadDir(folder); err == nil && len(found) > 0 {
		return nil, fmt.Errorf("%s is not empty", folder)
	}
	f := &Fixtures{folder: folder, redactor: redactor, added: map[string]addedCase{}}
	return f, os.MkdirAll(filepath.Join(folder, "requests"), 0o700)
}

func (f *Fixtures) add(r *recording.Record, l *recording.Line, why recording.Reason, counts *Summary) error {
	f.world.note(r)
	switch {
	case why.Code != "":
	case r.Answer.Code == 0:
		why.Code = recording.AnswerUnknown
	case slices.ContainsFunc(r.Calls, func(c recording.Call) bool { return c.Denied != "" || c.Failed != "" }):
		why.Code = webhookEnded
	}
	if why.Code != "" {
		counts.leave(why.Code, r.Position)
		return nil
	}
	name, text, err := f.suite.add(l, f.redactor)
	if err != nil {
		return err
	}
	one := addedCase{at: r.Position}
	if r.Answer.Status != nil {
		one.refused = r.Answer.Status.Reason
	}
	f.added[name] = one
	f.world.hasCase(r)
	return wholefile.Write(f.request(name), text, 0o600)
}

func (f *Fixtures) request(name string) string {
	return filepath.Join(f.folder, "requests", name+".yaml")
}

// close writes the suite and its world.
func (f *Fixtures) close(counts *Summary) error {
	if counts == nil || len(f.suite.cases) == 0 {
		return nil
	}
	counts.Written = len(f.suite.cases)
	if err := f.world.write(filepath.Join(f.folder, "world"), f.redactor); err != nil {
		return err
	}
	return f.writeSuite()
}

// Keep removes the cases that did not pass, according to the results of the suite.
func (f *Fixtures) Keep(results *outcome.Results, counts *Summary) error {
	cases, err := f.casesOf(results)
	if err != nil {
		return err
	}
	left := map[string]bool{}
	for _, c := range cases {
		if c.Outcome == outcome.Passed {
			continue
		}
		left[c.Name] = true
		counts.leave(f.reason(c), f.added[c.Name].at)
		if err := os.Remove(f.request(c.Name)); err != nil {
			return err
		}
	}
	f.suite.keep(func(name string) bool { return !left[name] })
	if counts.Written = len(f.suite.cases); counts.Written == 0 {
		return os.Remove(filepath.Join(f.folder, "admsim.yaml"))
	}
	return f.writeSuite()
}

// casesOf returns the results of the suite's cases.
func (f *Fixtures) casesOf(results *outcome.Results) (cases []outcome.Case, err error) {
	for _, one := range results.Suites {
		if one.Err != nil {
			return nil, fmt.Errorf("the suite that was written cannot be run: %w", one.Err)
		}
		cases = append(cases, one.Cases...)
	}
	if len(cases) != len(f.suite.cases) {
		return nil, errors.New("the suite that was written was not run to its end")
	}
	return cases, nil
}

// outsideOfAdmission lists the reasons for which the server refuses a request outside of admission.
var outsideOfAdmission = []metav1.StatusReason{
	metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonInvalid,
	metav1.StatusReasonNotFound, metav1.StatusReasonBadRequest,
}

func (f *Fixtures) reason(c outcome.Case) recording.Code {
	switch {
	case c.Outcome == outcome.Errored:
		return notRun
	case slices.Contains(outsideOfAdmission, f.added[c.Name].refused):
		return besideAdmission
	}
	return otherVerdict
}

func (f *Fixtures) writeSuite() error {
	text, err := f.suite.yaml(filepath.Base(f.folder))
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(f.folder, "admsim.yaml"), text, 0o600)
}
