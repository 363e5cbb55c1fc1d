// Package formats contains the table of formats: which formats exist, which commands support them, and what writes
// them.
//
// Start with [Of], which lists the formats of a command, and [NewPrinter]. To add a format, add a row to the table, a
// function that writes it, and a row to docs/output.md.
package formats

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/ci"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/pages"
	"github.com/admsim/admsim/internal/report/text"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// A Format is the name of an output format.
type Format string

const (
	Text      Format = "text"
	JSON      Format = "json"
	YAML      Format = "yaml"
	JSONLines Format = "jsonl"
	JUnit     Format = "junit"    // XML, which most CI systems show
	TAP       Format = "tap"      // Test Anything Protocol, version 14
	GitHub    Format = "github"   // annotations in the log of a workflow
	Markdown  Format = "markdown" // GitHub's
	SARIF     Format = "sarif"    // for code scanning: SARIF 2.1.0
	LCOV      Format = "lcov"     // coverage, which editors and CI systems show in the manifests
	GoTest    Format = "gotest"   // the events of go test -json, which gotestsum and others read
	HTML      Format = "html"     // one page to look at
)

// Survey stands for the commands that answer for all requests with --all, and for diff --equivalent.
const Survey = "--all"

// A format is a row of the table: the commands that support it, and what writes their results.
type format struct {
	name     Format
	commands []string

	// document writes any document. A format with it needs one of the functions below only for commands that are
	// different; a format without it needs one for each of its commands.
	document func(io.Writer, any) error
	list     encode.NewList // for several such documents

	results   func(io.Writer, document.Options) document.Sink // of run and explain
	suites    func(io.Writer, *outcome.Results, document.Options) error
	replay    func(io.Writer, lines.Summary, *pages.ReplayRows, document.Options) error
	diff      func(io.Writer, *document.Diff, *pages.DiffRows, document.Options) error
	whatif    func(io.Writer, document.Whatif, document.Options) error
	lint      func(io.Writer, *document.Lint, document.Options) error
	rules     func(io.Writer, *document.LintRules, document.Options) error
	reference func(io.Writer, document.Reference) error
}

// formats is the table of formats. For a new format, add a row here and in docs/output.md.
func formats() []format {
	return []format{
		{
			name:     Text,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency", "lint", "lint --rules", "plugins", "versions", "version", Survey},
			results:  text.New, suites: text.WriteSuites, replay: withoutReplayed(text.WriteReplay), diff: withoutChanged(text.WriteDiff), whatif: text.WriteWhatif,
			lint: text.WriteLint, rules: text.WriteRules, reference: text.WriteReference,
		},
		{
			name:     JSON,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency", "lint", "lint --rules", "plugins", "versions", "version", Survey},
			document: encode.IndentedJSON, list: encode.NewJSONList,
		},
		{
			name:     YAML,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency", "plugins", "versions", "version", Survey},
			document: encode.WriteYAML, list: encode.NewYAMLList,
		},
		{
			name:     JSONLines,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency"},
			document: encode.JSON,
			results:  document.NewLines, suites: outcome.WriteLines, replay: noReplayLines,
		},
		{name: JUnit, commands: []string{"test", "lint"}, suites: withSteps(ci.WriteJUnit), lint: ci.WriteLintJUnit},
		{name: TAP, commands: []string{"test"}, suites: ci.WriteTAP},
		{name: GitHub, commands: []string{"test", "lint"}, suites: ci.WriteSuitesGitHub, lint: ci.WriteGitHub},
		{
			name:     Markdown,
			commands: []string{"test", "diff", "check", "lint --rules", Survey},
			suites:   withSteps(ci.WriteSuitesMarkdown), diff: withoutChanged(ci.WriteDiffMarkdown), whatif: ci.WriteWhatifMarkdown, rules: ci.WriteRulesMarkdown,
		},
		{name: SARIF, commands: []string{"test", "lint"}, suites: ci.WriteSuitesSARIF, lint: ci.WriteSARIF},
		{name: LCOV, commands: []string{"test"}, suites: ci.WriteLCOV},
		{name: GoTest, commands: []string{"test"}, suites: withSteps(ci.WriteGoTest)},
		{
			name:     HTML,
			commands: []string{"run", "test", "replay", "diff", "outage", "check", "latency", Survey},
			results:  func(w io.Writer, o document.Options) document.Sink { return pages.NewResults(w, o) },
			suites:   pages.WriteSuites, replay: pages.WriteReplay, diff: pages.WriteDiff, whatif: pages.WriteWhatif,
		},
	}
}

// withSteps returns a writer of suites that shows how the answers of cases came about in the same way as text.
func withSteps(write func(io.Writer, *outcome.Results, ci.Steps, document.Options) error) func(io.Writer, *outcome.Results, document.Options) error {
	return func(w io.Writer, r *outcome.Results, o document.Options) error {
		return write(w, r, text.AnswersText, o)
	}
}

// withoutReplayed returns a writer of replays that shows no requests.
func withoutReplayed(write func(io.Writer, lines.Summary, document.Options) error) func(io.Writer, lines.Summary, *pages.ReplayRows, document.Options) error {
	return func(w io.Writer, s lines.Summary, _ *pages.ReplayRows, o document.Options) error {
		return write(w, s, o)
	}
}

// withoutChanged returns a writer of differences that shows no requests.
func withoutChanged(write func(io.Writer, *document.Diff, document.Options) error) func(io.Writer, *document.Diff, *pages.DiffRows, document.Options) error {
	return func(w io.Writer, d *document.Diff, _ *pages.DiffRows, o document.Options) error {
		return write(w, d, o)
	}
}

// Of returns the formats that a command supports, the default first.
func Of(command string) (all []Format) {
	for _, f := range formats() {
		if slices.Contains(f.commands, command) {
			all = append(all, f.name)
		}
	}
	return all
}

// Parse returns the format of a command with this name.
func Parse(name, command string) (Format, error) {
	var names []string
	for _, f := range Of(command) {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	problem := fmt.Sprintf("unknown output format %q, want one of %s", name, strings.Join(names, ", "))
	switch kubectls, _, _ := strings.Cut(name, "="); kubectls {
	case "wide":
		return "", hint.Add(errors.New(problem), "for more detail, use text with -v, if the command has it")
	case "name", "jsonpath", "jsonpath-as-json", "go-template", "custom-columns":
		return "", hint.Add(errors.New(problem), "only kubectl has it: choose from -o json with another program, such as jq")
	}
	unknown := didyoumean.Unknown(problem, name, names)
	if row := Format(name).row(); len(row.commands) > 0 {
		unknown.Else = "it is a format of admsim " + strings.Join(row.commands, " and admsim ")
	}
	return "", unknown
}

func (f Format) row() format {
	all := formats()
	if i := slices.IndexFunc(all, func(one format) bool { return one.name == f }); i >= 0 {
		return all[i]
	}
	return format{name: f}
}

// write writes a document for a command without a function of its own; what names the document.
func (f format) write(w io.Writer, document any, what string) error {
	if f.document == nil {
		return fmt.Errorf("%s cannot be written as %s", what, f.name)
	}
	return f.document(w, document)
}

// NewPrinter returns a printer that writes to w.
func NewPrinter(w io.Writer, f Format, o document.Options) *Printer {
	row := f.row()
	if row.results != nil {
		return &Printer{row.results(w, o)}
	}
	return &Printer{&document.Whole{W: w, List: row.list, Write: func(w io.Writer, document any) error {
		return row.write(w, document, "answers to requests")
	}}}
}

// WriteSuites writes the results of suites.
func WriteSuites(w io.Writer, f Format, r *outcome.Results, o document.Options) error {
	row := f.row()
	if row.suites != nil {
		return row.suites(w, r, o)
	}
	shown, err := r.Document(o)
	if err != nil {
		return err
	}
	return row.write(w, shown, "results of suites")
}

// WriteReplay writes the result for a recording. Only a page shows requests, which may be nil. Lines of JSON are
// written while the recording runs, by [lines.Line.JSON].
func WriteReplay(w io.Writer, f Format, s lines.Summary, requests *pages.ReplayRows, o document.Options) error {
	row := f.row()
	if row.replay != nil {
		return row.replay(w, s, requests, o)
	}
	return row.write(w, s.Document(), "replays")
}

// WriteDiff writes what changes from one world to another. Only a page shows requests, which may be nil.
func WriteDiff(w io.Writer, f Format, d *document.Diff, requests *pages.DiffRows, o document.Options) error {
	row := f.row()
	if row.diff != nil {
		return row.diff(w, d, requests, o)
	}
	return row.write(w, d, "differences")
}

// WriteWhatif writes the answer to another question of package whatif.
func WriteWhatif(w io.Writer, f Format, answer document.Whatif, o document.Options) error {
	row := f.row()
	if row.whatif != nil {
		return row.whatif(w, answer, o)
	}
	return row.write(w, answer, "this answer")
}

// WriteLint writes findings.
func WriteLint(w io.Writer, f Format, l *document.Lint, o document.Options) error {
	row := f.row()
	if row.lint != nil {
		return row.lint(w, l, o)
	}
	return row.write(w, l, "findings")
}

// WriteRules lists all rules.
func WriteRules(w io.Writer, f Format, rules *document.LintRules, o document.Options) error {
	row := f.row()
	if row.rules != nil {
		return row.rules(w, rules, o)
	}
	return row.write(w, rules, "rules")
}

// WriteReference writes a document about plugins or releases.
func WriteReference(w io.Writer, f Format, shown document.Reference) error {
	row := f.row()
	if row.reference != nil {
		return row.reference(w, shown)
	}
	return row.write(w, shown, "this")
}

// noReplayLines returns an error: [lines.Line.JSON] writes these lines.
func noReplayLines(io.Writer, lines.Summary, *pages.ReplayRows, document.Options) error {
	return errors.New("the lines of a replay are written while it runs")
}
