package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/snapshot"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const suiteFile = "admsim.yaml"

// Reasons why a review is not a case of a suite.
const (
	webhookEnded    recording.Code = "webhook-decided"
	besideAdmission recording.Code = "besides-admission"
	notRun          recording.Code = "cannot-tell"
	otherVerdict    recording.Code = "another-verdict"
)

// meanings say in words what the reasons of this package mean.
var meanings = map[recording.Code]string{
	webhookEnded:    "a webhook denied it or could not be called, and the suite has no backend for it",
	besideAdmission: "the server refused it for another reason than admission",
	notRun:          "it needs something that the log does not show",
	otherVerdict:    "its verdict differs in the world that the log shows",
}

// Meaning says in words why records are left out.
func Meaning(why recording.Code) string { return cmp.Or(meanings[why], why.Meaning()) }

// FixtureOptions say what a suite is made of, and how it is tried.
type FixtureOptions struct {
	// Release is the release that the suite names. Nil: none, so that the suite runs in the default one.
	Release *kubeversion.Release

	// Held are the objects that the cluster had when the log began. What the log shows of an object replaces it.
	Held []manifest.Manifest

	// Redactor removes secrets. Nil: they stay.
	Redactor *redact.Redactor

	// Run runs the suite in a folder. Cases that do not pass are left out.
	Run func(ctx context.Context, folder string) (*outcome.Results, error)
}

// fixtures writes a suite to a folder, with a file for each request. Everything is written to a hidden folder in it
// first, and moved when it is complete.
type fixtures struct {
	folder  string
	created bool   // the folder did not exist
	staged  string // the hidden folder
	options FixtureOptions
	suite   recordedSuite
	world   shownWorld
	added   map[string]addedCase // by name
}

// An addedCase is what is needed to explain why a case does not pass.
type addedCase struct {
	at      recording.Position
	refused metav1.StatusReason
}

// NewFixtures returns a writer of a suite to a folder, which is created, or empty. The warnings are about the objects
// that the cluster had.
func NewFixtures(folder string, o FixtureOptions) (Writer, []*manifest.Error, error) {
	isNew, err := snapshot.IsNew(folder)
	if err != nil {
		return nil, nil, err
	}
	f := &fixtures{folder: folder, created: isNew, options: o, added: map[string]addedCase{}}
	warnings, err := check(o.Held, o.Release)
	if err != nil {
		return nil, warnings, err
	}
	f.world = newShownWorld(cmp.Or(o.Release, kubeversion.Default()))
	f.world.hold(o.Held)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, warnings, err
	}
	if f.staged, err = os.MkdirTemp(folder, ".admsim-"); err == nil {
		err = os.Mkdir(filepath.Join(f.staged, "requests"), 0o700)
	}
	return f, warnings, err
}

// check returns what is wrong with the objects of a cluster, at the places that they came from.
func check(objects []manifest.Manifest, r *kubeversion.Release) ([]*manifest.Error, error) {
	_, warnings, err := world.New(objects, world.Options{Release: r, Unchecked: true})
	return warnings, err
}

func (f *fixtures) add(r *recording.Record, l *recording.Line, why recording.Reason, counts *Summary) error {
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
	name, text, err := f.suite.add(l, f.options.Redactor)
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

func (f *fixtures) request(name string) string {
	return filepath.Join(f.staged, "requests", name+".yaml")
}

// close writes the suite and its world, without the cases that do not pass. If there are none, or if anything fails,
// the folder is left as it was.
func (f *fixtures) close(ctx context.Context, counts *Summary) error {
	var err error
	if counts != nil && len(f.suite.cases) > 0 {
		if err = f.complete(ctx, counts); err == nil && counts.Written > 0 {
			err = f.publish()
		}
	}
	if err != nil || counts == nil || counts.Written == 0 {
		return errors.Join(err, f.discard())
	}
	return os.Remove(f.staged)
}

func (f *fixtures) discard() error {
	err := os.RemoveAll(f.staged)
	if f.created {
		err = errors.Join(err, os.Remove(f.folder))
	}
	return err
}

// complete completes the hidden folder.
func (f *fixtures) complete(ctx context.Context, counts *Summary) error {
	objects := f.world.ofCases()
	if _, err := check(slices.Collect(maps.Values(objects)), f.options.Release); err != nil {
		return err
	}
	if err := writeWorld(filepath.Join(f.staged, "world"), objects, f.options.Redactor); err != nil {
		return err
	}
	if err := f.writeSuite(); err != nil {
		return err
	}
	results, err := f.options.Run(ctx, f.staged)
	if err != nil {
		return err
	}
	return f.keep(results, counts)
}

// publish moves what is in the hidden folder to the folder, the suite last: until then, there is nothing to run.
func (f *fixtures) publish() error {
	names := []string{"world", "requests", suiteFile}
	for i, name := range names {
		err := os.Rename(filepath.Join(f.staged, name), filepath.Join(f.folder, name))
		if err == nil {
			continue
		}
		for _, moved := range names[:i] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(f.folder, moved)))
		}
		return err
	}
	return nil
}

// keep removes the cases that did not pass, according to the results of the suite.
func (f *fixtures) keep(results *outcome.Results, counts *Summary) error {
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
	counts.Written = len(f.suite.cases)
	return f.writeSuite()
}

// casesOf returns the results of the suite's cases.
func (f *fixtures) casesOf(results *outcome.Results) (cases []outcome.Case, err error) {
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

func (f *fixtures) reason(c outcome.Case) recording.Code {
	switch {
	case c.Outcome == outcome.Errored:
		return notRun
	case slices.Contains(outsideOfAdmission, f.added[c.Name].refused):
		return besideAdmission
	}
	return otherVerdict
}

func (f *fixtures) writeSuite() error {
	folder, err := filepath.Abs(f.folder)
	if err != nil {
		return err
	}
	text, err := f.suite.yaml(filepath.Base(folder), f.options.Release)
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(f.staged, suiteFile), text, 0o600)
}
