package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/replay"
	"github.com/admsim/admsim/internal/suite"
)

// A Format is how results are written.
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
	GoTest    Format = "gotest"   // the events of go test -json, which gotestsum and others read
	HTML      Format = "html"     // one page to look at
)

// A format is everything there is to know about one: which commands have it, and what writes
// their results in it.
type format struct {
	name     Format
	commands []string

	// document writes any document. A format that has it needs one of the following only where a
	// command does something else; a format without it needs one for each of its commands.
	document func(io.Writer, any) error

	results   func(io.Writer, Options) sink // of run and explain
	suites    func(io.Writer, *suite.Results, Options) error
	replay    func(io.Writer, replay.Summary, *ReplayRows, Options) error
	diff      func(io.Writer, *Diff, *DiffRows, Options) error
	whatif    func(io.Writer, Whatif, Options) error
	lint      func(io.Writer, *Lint, Options) error
	rules     func(io.Writer, *LintRules, Options) error
	reference func(io.Writer, Reference) error
}

// formats is the one list of formats: a further one is a row here, and a row in docs/output.md.
func formats() []format {
	return []format{
		{
			name:     Text,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency", "lint", "lint --rules", "plugins", "versions"},
			results:  newText, suites: writeSuitesText, replay: withoutReplayed(writeReplayText), diff: withoutChanged(writeDiffText), whatif: writeWhatifText,
			lint: writeLintText, rules: writeRulesText, reference: writeReferenceText,
		},
		{
			name:     JSON,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency", "lint", "lint --rules", "plugins", "versions"},
			document: writeJSON,
		},
		{
			name:     YAML,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency", "plugins", "versions"},
			document: writeYAML,
		},
		{
			name:     JSONLines,
			commands: []string{"run", "explain", "test", "replay", "diff", "outage", "check", "blame", "latency"},
			document: encode,
			results:  newLines, suites: writeSuiteLines, replay: noReplayLines,
		},
		{name: JUnit, commands: []string{"test"}, suites: writeJUnit},
		{name: TAP, commands: []string{"test"}, suites: writeTAP},
		{name: GitHub, commands: []string{"test", "lint"}, suites: writeSuitesGitHub, lint: writeGitHub},
		{
			name:     Markdown,
			commands: []string{"test", "diff", "lint --rules"},
			suites:   writeSuitesMarkdown, diff: withoutChanged(writeDiffMarkdown), rules: writeRulesMarkdown,
		},
		{name: SARIF, commands: []string{"test", "lint"}, suites: writeSuitesSARIF, lint: writeSARIF},
		{name: GoTest, commands: []string{"test"}, suites: writeGoTest},
		{
			name:     HTML,
			commands: []string{"run", "test", "replay", "diff", "outage"},
			results:  func(w io.Writer, o Options) sink { return newHTMLResults(w, o) },
			suites:   writeSuitesHTML, replay: writeReplayHTML, diff: writeDiffHTML, whatif: writeWhatifHTML,
		},
	}
}

// withoutReplayed is a writer of replays that shows no requests.
func withoutReplayed(write func(io.Writer, replay.Summary, Options) error) func(io.Writer, replay.Summary, *ReplayRows, Options) error {
	return func(w io.Writer, s replay.Summary, _ *ReplayRows, o Options) error { return write(w, s, o) }
}

// withoutChanged is a writer of differences that shows no requests.
func withoutChanged(write func(io.Writer, *Diff, Options) error) func(io.Writer, *Diff, *DiffRows, Options) error {
	return func(w io.Writer, d *Diff, _ *DiffRows, o Options) error { return write(w, d, o) }
}

// FormatsOf are the formats that a command has, the usual one first.
func FormatsOf(command string) (all []Format) {
	for _, f := range formats() {
		if slices.Contains(f.commands, command) {
			all = append(all, f.name)
		}
	}
	return all
}

// ParseFormat returns the format of a command that has this name.
func ParseFormat(name, command string) (Format, error) {
	var names []string
	for _, f := range FormatsOf(command) {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", didyoumean.Unknown(fmt.Sprintf("unknown output format %q, want one of %s", name, strings.Join(names, ", ")), name, names)
}

func (f Format) row() format {
	all := formats()
	if i := slices.IndexFunc(all, func(one format) bool { return one.name == f }); i >= 0 {
		return all[i]
	}
	return format{name: f}
}

// write writes a document of a command that has no function of its own; what is what it is.
func (f format) write(w io.Writer, document any, what string) error {
	if f.document == nil {
		return fmt.Errorf("%s cannot be written as %s", what, f.name)
	}
	return f.document(w, document)
}

// NewPrinter returns a printer to w.
func NewPrinter(w io.Writer, f Format, o Options) *Printer {
	row := f.row()
	if row.results != nil {
		return &Printer{row.results(w, o)}
	}
	return &Printer{&whole{w: w, write: func(w io.Writer, document any) error {
		return row.write(w, document, "answers to requests")
	}}}
}

// WriteSuites writes what came of suites.
func WriteSuites(w io.Writer, f Format, r *suite.Results, o Options) error {
	r = suitesWithoutSecrets(r, o.Redactor)
	row := f.row()
	if row.suites != nil {
		return row.suites(w, r, o)
	}
	shown, err := NewSuites(r, o)
	if err != nil {
		return err
	}
	return row.write(w, shown, "results of suites")
}

// WriteReplay writes what came of a recording. Only a page shows requests; nil: none. Lines of JSON are
// written while it runs, by [ReplayLine].
func WriteReplay(w io.Writer, f Format, s replay.Summary, requests *ReplayRows, o Options) error {
	row := f.row()
	if row.replay != nil {
		return row.replay(w, s, requests, o)
	}
	return row.write(w, Replay{TypeMeta{APIVersion, ReplayKind}, s}, "replays")
}

// WriteDiff writes what changes from one world to another. Only a page shows requests; nil: none.
func WriteDiff(w io.Writer, f Format, d *Diff, requests *DiffRows, o Options) error {
	row := f.row()
	if row.diff != nil {
		return row.diff(w, d, requests, o)
	}
	return row.write(w, d, "differences")
}

// WriteWhatif writes the answer to another question of package whatif.
func WriteWhatif(w io.Writer, f Format, answer Whatif, o Options) error {
	row := f.row()
	if row.whatif != nil {
		return row.whatif(w, answer, o)
	}
	return row.write(w, answer, "this answer")
}

// WriteLint writes findings.
func WriteLint(w io.Writer, f Format, l *Lint, o Options) error {
	row := f.row()
	if row.lint != nil {
		return row.lint(w, l, o)
	}
	return row.write(w, l, "findings")
}

// WriteRules lists all rules.
func WriteRules(w io.Writer, f Format, o Options) error {
	row, rules := f.row(), newLintRules()
	if row.rules != nil {
		return row.rules(w, rules, o)
	}
	return row.write(w, rules, "rules")
}

// WriteReference writes what is said of plugins or of releases.
func WriteReference(w io.Writer, f Format, shown Reference) error {
	row := f.row()
	if row.reference != nil {
		return row.reference(w, shown)
	}
	return row.write(w, shown, "this")
}
