package outcome

import (
	"errors"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/yamldoc"
)

// A Trouble is one thing that is wrong with a suite, with its place: an expectation that does not hold, a case that
// could not be run, or something about the suite as a whole.
type Trouble struct {
	Sort   Sort
	Of     string // suite/case, or the suite
	At     yamldoc.Source
	Path   string // of the expectation
	Text   string // one line or several
	Detail string // a diff
	Hint   string
}

type Sort string

const (
	NotAsExpected Sort = "not-as-expected"
	CouldNotTell  Sort = "could-not-tell"
	SuiteProblem  Sort = "suite-problem"
	SuiteWarning  Sort = "suite-warning"
)

// Troubles returns everything that is wrong with a suite: problems of the suite as a whole first, then those of its
// cases in order, and warnings last.
func Troubles(r Suite) (all []Trouble) {
	all = append(all, WholeTroubles(r)...)
	for _, c := range r.Cases {
		all = append(all, CaseTroubles(c)...)
	}
	for _, w := range r.Warnings {
		all = append(all, TroubleOf(SuiteWarning, r.Name, r.Source, w))
	}
	return all
}

// WholeTroubles returns the troubles of the suite as a whole.
func WholeTroubles(r Suite) (all []Trouble) {
	for _, err := range each(r.Err) {
		all = append(all, TroubleOf(CouldNotTell, r.Name, r.Source, err))
	}
	for _, p := range r.Problems {
		all = append(all, TroubleOf(SuiteProblem, r.Name, r.Source, p))
	}
	return all
}

func CaseTroubles(c Case) (all []Trouble) {
	for _, err := range each(c.Err) {
		all = append(all, TroubleOf(CouldNotTell, c.FullName(), c.Source, err))
	}
	for _, f := range c.Failures {
		t := Trouble{Sort: NotAsExpected, Of: c.FullName(), At: f.Source, Path: f.Path, Text: FailureText(f), Detail: f.Diff, Hint: f.Hint}
		if t.At == (yamldoc.Source{}) {
			t.At = c.Source
		}
		all = append(all, t)
	}
	return all
}

// FailureText says what was wanted and what came instead.
func FailureText(f Failure) string {
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

// each returns the single errors in err.
func each(err error) []error {
	var several yamldoc.Errors
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

// TroubleOf converts an error to a trouble, at its own place if it has one.
func TroubleOf(sort Sort, of string, at yamldoc.Source, err error) Trouble {
	t := Trouble{Sort: sort, Of: of, At: at, Text: err.Error()}
	if one, ok := err.(*yamldoc.Error); ok { // an error around it would say more
		t.Text, t.Hint = one.Message, one.Hint
		if one.Source != (yamldoc.Source{}) {
			t.At = one.Source
		}
	}
	t.Text, t.Hint = redact.Credentials(t.Text), redact.Credentials(t.Hint)
	return t
}

// Title returns the first line of the text.
func (t Trouble) Title() string {
	first, _, _ := strings.Cut(t.Text, "\n")
	return first
}

// Full returns the whole text, with detail and hint, without the place.
func (t Trouble) Full() string {
	text := t.Text
	if t.Detail != "" {
		text += "\n" + strings.TrimRight(t.Detail, "\n")
	}
	if t.Hint != "" {
		text += "\nhint: " + t.Hint
	}
	return text
}

// Placed returns the same with the place in front.
func (t Trouble) Placed() string {
	if t.At.File == "" {
		return t.Full()
	}
	return t.At.String() + ": " + t.Full()
}
