package ci

import (
	"fmt"
	"io"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/admsim/admsim/internal/report/document"
)

// WriteLintJUnit writes findings as JUnit XML: one testcase for each finding, and one for each rule without findings.
// Errors and warnings are failures. An info passes, with the finding in its output; accepted findings are skipped.
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
	all.AddSuite(s.Testsuite) // also counts it
	return writeXML(w, all)
}

// findingCase returns a testcase whose name does not change when lines of the file move.
func findingCase(f document.Finding) junit.Testcase {
	name := f.Message
	if who := f.Who(); who != "" {
		name = who + ": " + name
	}
	return junit.Testcase{Name: XmlText(name), Classname: XmlText(f.Rule + " " + f.Name), Time: seconds(0)}
}
