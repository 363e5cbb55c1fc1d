package report

import (
	"fmt"
	"io"

	"github.com/admsim/admsim/internal/suite"
)

// The formats of results of suites beside those of single requests and of findings.
const (
	JUnit  Format = "junit"  // XML, which most CI systems show
	TAP    Format = "tap"    // Test Anything Protocol, version 14
	GoTest Format = "gotest" // the events of go test -json, which gotestsum and others read
	HTML   Format = "html"   // one page to look at
)

// A suiteWriter writes what came of suites in one format.
type suiteWriter func(io.Writer, *suite.Results, Options) error

// suiteWriters are all of them beside those for people and for programs at the terminal.
func suiteWriters() map[Format]suiteWriter {
	return map[Format]suiteWriter{
		JUnit:    writeJUnit,
		TAP:      writeTAP,
		GitHub:   writeSuitesGitHub,
		Markdown: writeSuitesMarkdown,
		SARIF:    writeSuitesSARIF,
		GoTest:   writeGoTest,
		HTML:     writeSuitesHTML,
	}
}

// CIFormats are the formats in which other programs take results of suites, and the page.
func CIFormats() []Format { return []Format{JUnit, TAP, GitHub, Markdown, SARIF, GoTest, HTML} }

// WriteSuitesFor writes what came of suites in one of [CIFormats].
func WriteSuitesFor(w io.Writer, f Format, r *suite.Results, o Options) error {
	write, ok := suiteWriters()[f]
	if !ok {
		return fmt.Errorf("results of suites cannot be written as %s", f)
	}
	return write(w, r, o)
}
