package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite"
)

// A trouble is one thing that is wrong with a suite, at its place: an expectation that does
// not hold, a case that could not be run, or the suite as a whole.
type trouble struct {
	sort   troubleSort
	of     string // suite/case, or the suite
	at     scenario.Source
	path   string // of the expectation
	text   string // one line or several
	detail string // a diff
	hint   string
}

type troubleSort string

const (
	notAsExpected troubleSort = "not-as-expected"
	couldNotTell  troubleSort = "could-not-tell"
	suiteProblem  troubleSort = "suite-problem"
	suiteWarning  troubleSort = "suite-warning"
)

// troubles are everything that is wrong with a suite, in the order of its cases, what is
// wrong with it as a whole first and what its author may want to know last.
func troubles(r suite.Result) (all []trouble) {
	all = append(all, wholeTroubles(r)...)
	for _, c := range r.Cases {
		all = append(all, caseTroubles(c)...)
	}
	for _, w := range r.Warnings {
		all = append(all, troubleOf(suiteWarning, r.Name, r.Source, w))
	}
	return all
}

// wholeTroubles are those of the suite itself.
func wholeTroubles(r suite.Result) (all []trouble) {
	for _, err := range each(r.Err) {
		all = append(all, troubleOf(couldNotTell, r.Name, r.Source, err))
	}
	for _, p := range r.Problems {
		all = append(all, troubleOf(suiteProblem, r.Name, r.Source, p))
	}
	return all
}

func caseTroubles(c suite.CaseResult) (all []trouble) {
	for _, err := range each(c.Err) {
		all = append(all, troubleOf(couldNotTell, c.FullName(), c.Source, err))
	}
	for _, f := range c.Failures {
		t := trouble{sort: notAsExpected, of: c.FullName(), at: f.Source, path: f.Path, text: failureText(f), detail: f.Diff, hint: f.Hint}
		if t.at == (scenario.Source{}) {
			t.at = c.Source
		}
		all = append(all, t)
	}
	return all
}

// failureText says what was wanted and what came instead.
func failureText(f suite.Failure) string {
	head := f.Path + ": "
	if f.Path == "" {
		head = ""
	}
	switch {
	case f.Want == "" && f.Got == "":
		return head + "not as expected"
	case strings.Contains(f.Want, "\n"):
		return head + "want\n" + indented(f.Want) + "\ngot\n" + indented(f.Got)
	case f.Want == "":
		return head + "got " + f.Got
	case f.Got == "":
		return head + "want " + f.Want
	}
	return fmt.Sprintf("%swant %s, got %s", head, f.Want, strings.TrimSpace(indented(f.Got)))
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// each is an error by itself, or all of several.
func each(err error) []error {
	var several scenario.Errors
	switch {
	case err == nil:
		return nil
	case errors.As(err, &several):
		all := make([]error, len(several))
		for i, one := range several {
			all[i] = one
		}
		return all
	}
	return []error{err}
}

// troubleOf is an error, at its own place where it has one.
func troubleOf(sort troubleSort, of string, at scenario.Source, err error) trouble {
	t := trouble{sort: sort, of: of, at: at, text: err.Error()}
	if one, ok := err.(*scenario.Error); ok { // else something around it says more
		t.text, t.hint = one.Message, one.Hint
		if one.Source != (scenario.Source{}) {
			t.at = one.Source
		}
	}
	t.text, t.hint = redact.Credentials(t.text), redact.Credentials(t.hint)
	return t
}

// title is the first line of what is wrong.
func (t trouble) title() string {
	first, _, _ := strings.Cut(t.text, "\n")
	return first
}

// full is all that there is to say, over several lines, without the place.
func (t trouble) full() string {
	text := t.text
	if t.detail != "" {
		text += "\n" + strings.TrimRight(t.detail, "\n")
	}
	if t.hint != "" {
		text += "\nhint: " + t.hint
	}
	return text
}

// placed is the same behind its place.
func (t trouble) placed() string {
	if t.at.File == "" {
		return t.full()
	}
	return t.at.String() + ": " + t.full()
}

// answersText is how a case came about, as admsim run shows it.
func answersText(c suite.CaseResult, o Options) (string, error) {
	var b strings.Builder
	for i, a := range c.Answers {
		if a.Result == nil {
			continue
		}
		result, err := New(a.Asked, a.Result, Usual, o.Redactor)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.FullName(), err)
		}
		if a.Label != "" {
			if i > 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "# %s\n", a.Label)
		}
		if err := (&text{w: &b, verbose: o.Verbose}).result(result); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
