// Package ci writes results for other programs of a CI system and for comments on a code hosting site: JUnit, TAP,
// SARIF, the events of go test, GitHub's annotations and its Markdown.
package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// A junitCase is a testcase with its source, in the format of pytest: GitLab, CircleCI and others link to it.
type junitCase struct {
	junit.Testcase
	File string `xml:"file,attr,omitempty"`
	Line int    `xml:"line,attr,omitempty"`
}

// A junitSuite is a testsuite whose testcases have sources.
type junitSuite struct {
	junit.Testsuite
	Testcases []junitCase `xml:"testcase"`
}

func (s *junitSuite) add(c junit.Testcase, at scenario.Source) {
	s.AddTestcase(c) // also counts it
	s.Testcases = append(s.Testcases, junitCase{c, XmlText(at.File), at.Line})
}

func (s *junitSuite) addAt(c junit.Testcase, at document.Place) { s.add(c, scenario.Source(at)) }

type junitSuites struct {
	junit.Testsuites
	Suites []junitSuite `xml:"testsuite"`
}

// WriteJUnit writes the results of suites as JUnit XML: each suite is a testsuite and each case a testcase. The output
// of a case that failed shows how its answers came about. A problem with a suite as a whole is a testcase of its own,
// since the format has no other place for it.
func WriteJUnit(w io.Writer, r *outcome.Results, steps Steps, o document.Options) error {
	all := junitSuites{Testsuites: junit.Testsuites{Name: "admsim", Time: seconds(timeOf(r))}}
	for i, s := range r.Suites {
		one, err := junitSuiteOf(i, s, steps, o)
		if err != nil {
			return err
		}
		all.AddSuite(one.Testsuite) // also counts it
		all.Suites = append(all.Suites, one)
	}
	return writeXML(w, all)
}

func writeXML(w io.Writer, all junitSuites) error {
	text, err := xml.MarshalIndent(all, "", "\t")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	return err
}

// timeOf returns the sum of the times of all suites. Readers of the format add up the times in an element, although
// cases that run concurrently take less real time.
func timeOf(r *outcome.Results) (sum time.Duration) {
	for _, s := range r.Suites {
		sum += s.Took
	}
	return sum
}

func junitSuiteOf(id int, r outcome.Suite, steps Steps, o document.Options) (junitSuite, error) {
	s := junitSuite{Testsuite: junit.Testsuite{ID: id, Name: XmlText(r.Name), File: XmlText(r.Source.File), Time: seconds(r.Took)}}
	if whole := outcome.WholeTroubles(r); len(whole) > 0 {
		s.add(junit.Testcase{
			Name: "(suite)", Classname: s.Name, Time: seconds(0),
			Error: junitResult("error", whole),
		}, r.Source)
	}
	for _, c := range r.Cases {
		one := junit.Testcase{Name: XmlText(c.Name), Classname: s.Name, Time: seconds(c.Took), Status: string(c.Outcome)}
		switch c.Outcome {
		case outcome.Skipped:
			one.Skipped = &junit.Result{Message: XmlText(c.Skip)}
		case outcome.Errored:
			one.Error = junitResult("error", outcome.CaseTroubles(c))
		case outcome.Failed:
			one.Failure = junitResult("failure", outcome.CaseTroubles(c))
		}
		if c.Outcome == outcome.Failed || c.Outcome == outcome.Errored || o.Verbose {
			out, err := steps(c, o)
			if err != nil {
				return s, err
			}
			if out != "" {
				one.SystemOut = &junit.Output{Data: XmlText(out)}
			}
		}
		s.add(one, c.Source)
	}
	if len(r.Warnings) > 0 {
		var lines []string
		for _, w := range r.Warnings {
			lines = append(lines, outcome.TroubleOf(outcome.SuiteWarning, r.Name, scenario.Source{}, w).Placed())
		}
		s.SystemErr = &junit.Output{Data: XmlText(strings.Join(lines, "\n"))}
	}
	return s, nil
}

func junitResult(kind string, all []outcome.Trouble) *junit.Result {
	r := &junit.Result{Type: kind}
	texts := make([]string, len(all))
	for i, t := range all {
		texts[i] = t.Placed()
	}
	if len(all) > 0 {
		r.Message = XmlText(all[0].Title())
	}
	if more := len(all) - 1; more > 0 {
		r.Message += fmt.Sprintf("; and %d more", more)
	}
	r.Data = XmlText(strings.Join(texts, "\n\n"))
	return r
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// XmlText returns s without characters that XML 1.0 does not allow, none of which are visible.
func XmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, inert.Text(s))
}
