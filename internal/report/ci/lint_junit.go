package ci

import (
	"fmt"
	"io"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/admsim/admsim/internal/report/document"
)

// WriteLintJUnit writes findings as JUnit XML: a testcase a finding, and one for each rule that found nothing. Errors
// and warnings are failures. An info is one that passes, and tells in its output what was found; what is accepted is skipped.
func WriteLintJUnit(w io.Writer, l *document.Lint, _ document.Options) error {
	s := junitSuite{Testsuite: junit.Testsuite{Name: "lint", Time: seconds(0)}}
	found := map[string]bool{}
	for _, f := range l.Findings {
		found[f.Rule] = true
		c := findingCase(f)
		text := fmt.Sprintf("%s: %s\nremedy: %s", f.At, f.Message, f.Remedy)
		if f.Severity == document.LintInfo {
			c.SystemOut = &junit.Output{Data: XmlText(text)}
		} else {
			c.Failure = &junit.Result{Type: f.Severity, Message: XmlText(f.Message), Data: XmlText(text)}
		}
		s.addAt(c, f.At)
	}
	for _, f := range l.Suppressed {
		found[f.Rule] = true
		c := findingCase(f)
		c.Skipped = &junit.Result{Message: XmlText("accepted: " + f.Reason)}
		s.addAt(c, f.At)
	}
	for _, r := range l.Rules {
		if found[r.ID] {
			continue
		}
		c := junit.Testcase{Name: "nothing found", Classname: XmlText(r.ID + " " + r.Name), Time: seconds(0)}
		if r.Corpus && l.Summary.Requests == 0 {
			c.Skipped = &junit.Result{Message: "needs requests: --corpus"}
		}
		s.addAt(c, document.Place{})
	}
	all := junitSuites{Testsuites: junit.Testsuites{Name: "admsim", Time: seconds(0)}, Suites: []junitSuite{s}}
	all.AddSuite(s.Testsuite) // which counts
	return writeXML(w, all)
}

// findingCase is a testcase that keeps its name while lines of the file move.
func findingCase(f document.Finding) junit.Testcase {
	name := f.Message
	if who := f.Who(); who != "" {
		name = who + ": " + name
	}
	return junit.Testcase{Name: XmlText(name), Classname: XmlText(f.Rule + " " + f.Name), Time: seconds(0)}
}
