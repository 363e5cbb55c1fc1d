package formats

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/ci"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/report"
)

// commands are texts that would do something if they were not escaped.
var commands = []string{
	"::error file=README.md,line=1::x", "a\n::error::x", "a\n \t::stop-commands::x\n::x::", "a\r::error::x", "a\r\n::set-output name=a::b", "\u00a0\u2003::error::x",
	"##[error]x", "a ##[group]x", "a\n##[add-mask]x", "##vso[task.setvariable variable=a]b", "#", "##", "##vso", "[x]", ":", "::",
	"\x1b[2J\x1b]0;t\a", "\x1b]8;;http://evil.example\a", "\u009b2J", "\u0090q\u009c", "\x1b[32mok\x1b[0m", "\b\b\b", "\x7f", "\x00", "\x0b\x0c", "\u0085::error::x",
	"\u202a\u202b\u202c\u202d\u202e", "\u2066\u2067\u2068\u2069", "\u200e\u200f\u061c", "\u2028::error::x", "\u2029", "\ufeff\u200b\u00ad", "\U000e0041",
	"\xff\xfe", "\xe2\x80", "a\xc2\x9b",
	strings.Repeat("word ", 13) + "::error::x " + strings.Repeat("word ", 15) + "::error::y",
	strings.Repeat("w", 78) + " ::error::x " + strings.Repeat("w", 90) + " ::error::x",
	"key: ::error::x\n- ::error::x\n", "' ::error::x\n\"", "]]>\n::error::x", "```\n::error::x\n```",
	"@everyone [x](javascript:alert(1)) ![i](http://evil.example/x.png) www.evil.example a@b.example #1 |a| <img src=x> </details> `a`",
}

// A shownDocument is a document, with the formats that it supports.
type shownDocument struct {
	name    string
	formats []Format
	write   func(io.Writer, Format, document.Options) error
}

// documentsSaying returns documents with a text in every field.
func documentsSaying(t *testing.T, text string, holds bool) []shownDocument {
	f := &reporttest.Filler{Text: text, Holds: holds, Json: true}
	result, explanation := reporttest.Filled[report.Result](f), reporttest.Filled[document.Explanation](f)
	sum, found, tests := reporttest.Filled[lines.Summary](f), reporttest.Filled[document.Lint](f), reporttest.ResultsSaying(t, text)
	for i := range tests.Suites {
		s := &tests.Suites[i]
		s.Name, s.Source.File = text, text
		for j := range s.Cases {
			s.Cases[j].Skip, s.Cases[j].Suite = text, text
		}
		s.Cases = append(s.Cases, outcome.Case{Suite: text, Name: text, Source: scenario.Source{File: text, Line: 1}, Outcome: outcome.Errored, Err: errors.New(text)})
	}
	withoutPage := func(command string) []Format { // it has a test of its own
		return slices.DeleteFunc(Of(command), func(f Format) bool { return f == HTML })
	}
	whatif := func(name string, answer document.Whatif) shownDocument {
		return shownDocument{name, withoutPage(name), func(w io.Writer, f Format, o document.Options) error { return WriteWhatif(w, f, answer, o) }}
	}
	for i := range found.Findings {
		found.Findings[i].Severity = "error"
	}
	diff := reporttest.Filled[document.Diff](f)
	return []shownDocument{
		{"result", Of("run"), func(w io.Writer, f Format, o document.Options) error {
			p := NewPrinter(w, f, o)
			return errors.Join(p.Result(&document.Answer{Result: result}), p.Result(&document.Answer{Result: result}), p.Close())
		}},
		{"explanation", Of("explain"), func(w io.Writer, f Format, o document.Options) error {
			p := NewPrinter(w, f, o)
			return errors.Join(p.Explanation(explanation), p.Close())
		}},
		{"tests", Of("test"), func(w io.Writer, f Format, o document.Options) error { return WriteSuites(w, f, tests, o) }},
		{"replay", []Format{Text, JSON, YAML}, func(w io.Writer, f Format, o document.Options) error { return WriteReplay(w, f, *sum, nil, o) }},
		{"lint", Of("lint"), func(w io.Writer, f Format, o document.Options) error { return WriteLint(w, f, found, o) }},
		{"diff", withoutPage("diff"), func(w io.Writer, f Format, o document.Options) error { return WriteDiff(w, f, diff, nil, o) }},
		whatif("outage", reporttest.Filled[document.Outage](f)), whatif("check", reporttest.Filled[document.Check](f)), whatif("blame", reporttest.Filled[document.Blame](f)), whatif("latency", reporttest.Filled[document.Latency](f)),
		whatif(Survey, reporttest.Filled[document.Survey](f)),
	}
}

// Whatever texts are shown, no format moves a cursor, reverses a line or gives a command with them, and each output
// stays valid.
func TestTextCannotCommand(t *testing.T) {
	all := strings.Join(commands, "\n")
	for _, text := range append([]string{all}, commands...) {
		for _, holds := range []bool{true, false} {
			if !holds && text != all {
				continue
			}
			for _, d := range documentsSaying(t, text, holds) {
				for _, format := range d.formats {
					if format == HTML && text != all { // a page takes long, and has its own test
						continue
					}
					for _, o := range []document.Options{{}, {Verbose: true, Colour: true, Coverage: true}} {
						if o.Colour && format != Text && text != all {
							continue
						}
						var b bytes.Buffer
						if err := d.write(&b, format, o); err != nil {
							t.Fatalf("%s of %.30q as %s: %v", d.name, text, format, err)
						}
						if err := acts(format, b.String()); err != nil {
							t.Errorf("%s of %.30q as %s: %v", d.name, text, format, err)
						}
					}
				}
			}
		}
	}
}

var (
	ownColour     = regexp.MustCompile("\x1b\\[(0|1|2|32|33|1;31)m")
	ownAnnotation = regexp.MustCompile(`(?m)^::(error|warning|notice) (file=[^:,\n]*,)?(line=\d+,)?(col=\d+,)?title=[^:,\n]*::`)
	anyCommand    = regexp.MustCompile(`##[a-zA-Z.]*\[`)
)

var lcovLine = regexp.MustCompile(`^(TN:|SF:.+|BRDA:\d+,\d+,\d+,(\d+|-)|(BRF|BRH|LF|LH):\d+|DA:\d+,\d+|end_of_record)\n$`)

// acts returns what an output would do, besides being read, as an error. It looks at lines as a runner does, and does
// not know how texts are escaped.
func acts(f Format, output string) error {
	if f == Text {
		output = ownColour.ReplaceAllString(output, "")
	}
	if f == GitHub {
		output = ownAnnotation.ReplaceAllString(output, "")
	}
	if !utf8.ValidString(output) {
		return errors.New("is no UTF-8")
	}
	for i, r := range output {
		if ' ' <= r && r <= '~' {
			continue
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\n' && r != '\t' && r != '\u200d' {
			return fmt.Errorf("has %U in %q", r, output[max(i-40, 0):min(i+40, len(output))])
		}
	}
	for line := range strings.Lines(output) {
		if strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") || anyCommand.MatchString(line) && !anyBase64(f, line) {
			return fmt.Errorf("gives a command: %q", line)
		}
	}
	return reads(f, output)
}

// anyBase64 reports whether a line holds the styles and scripts of a page.
func anyBase64(f Format, line string) bool { return f == HTML && len(line) > 1<<20 }

// reads returns an error if programs cannot read the output.
func reads(f Format, output string) (err error) {
	var v any
	switch f {
	case JSON, SARIF:
		return json.Unmarshal([]byte(output), &v)
	case YAML:
		return yaml.Unmarshal([]byte(output), &v)
	case JSONLines, GoTest:
		for line := range strings.Lines(output) {
			err = errors.Join(err, json.Unmarshal([]byte(line), &v))
		}
	case JUnit:
		d := xml.NewDecoder(strings.NewReader(output))
		for err == nil {
			_, err = d.Token()
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
	case TAP:
		_, err = parseTAP(output)
	case LCOV:
		for line := range strings.Lines(output) {
			if !lcovLine.MatchString(line) {
				err = errors.Join(err, fmt.Errorf("%q is no line of LCOV", line))
			}
		}
	}
	return err
}

// JSON and YAML are for programs: they lose nothing.
func TestNothingIsLost(t *testing.T) {
	for _, text := range append([]string{strings.Join(commands, "\n")}, commands...) {
		v := map[string]any{"text": text, text: []any{text, map[string]any{"a": text + "\n"}}, "number": json.Number("1234567890123456789")}
		want := map[string]any{}
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		for format, write := range map[Format]func(io.Writer, any) error{JSON: encode.IndentedJSON, YAML: encode.WriteYAML, JSONLines: encode.JSON} {
			var b bytes.Buffer
			if err := write(&b, v); err != nil {
				t.Errorf("%q as %s: %v", text, format, err)
				continue
			}
			got := map[string]any{}
			if err := yaml.Unmarshal(b.Bytes(), &got); err != nil && format == YAML {
				t.Errorf("%q as %s: %v in %s", text, format, err, &b)
			} else if format != YAML {
				if err := json.Unmarshal(b.Bytes(), &got); err != nil {
					t.Errorf("%q as %s: %v", text, format, err)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q as %s: -want +got\n%s", text, format, diff)
			}
		}
	}
}

// In a comment, text is only text: it cannot be a link or a mention, or end a cell.
func TestMarkdownCode(t *testing.T) {
	for _, tt := range []struct{ reason, text, want string }{
		{"names stay as they are", "pods/denied[fault=timeout] tests/a.yaml:20 (3)", "pods/denied[fault=timeout] tests/a.yaml:20 (3)"},
		{"a mention", "@everyone a@b.example", "&#64;<wbr>everyone a&#64;<wbr>b.example"},
		{"links", "[x](y) ![i](z) https://a.example www.a.example [[a]]", "[x]&#40;y) ![i]&#40;z) https&#58;//a.example www&#46;a.example &#91;[a]]"},
		{"HTML", "</code><img src=x>&lt;", "&#60;/code&#62;&#60;img src=x&#62;&#38;lt;"},
		{"a cell, a span, emphasis, mathematics", "a|b`c`*d*_e_~f~$g$\\", "a&#124;b&#96;c&#96;&#42;d&#42;&#95;e&#95;&#126;f&#126;&#36;g&#36;&#92;"},
		{"lines", "a\n\n# b\r\n- c", "a # b&#92;r - c"},
	} {
		if got, want := ci.MarkdownCode(tt.text), "<code>"+tt.want+"</code>"; got != want {
			t.Errorf("%s: %q becomes %q, want %q", tt.reason, tt.text, got, want)
		}
	}
}
