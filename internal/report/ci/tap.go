package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// WriteTAP writes the results of suites in the Test Anything Protocol, version 14, without nesting: each case is a test
// point, with its problems as YAML below it. Readers of version 13 can read it, too.
func WriteTAP(w io.Writer, r *outcome.Results, _ document.Options) error {
	t := &tap{}
	for _, s := range r.Suites {
		if whole := outcome.WholeTroubles(s); len(whole) > 0 {
			t.point(false, s.Name, "")
			if err := t.diagnostics("error", whole); err != nil {
				return err
			}
		}
		for _, c := range s.Cases {
			if err := t.testCase(c); err != nil {
				return err
			}
		}
	}
	plan := fmt.Sprintf("TAP version 14\n1..%d\n", t.points)
	if t.points == 0 {
		plan = "TAP version 14\n1..0 # SKIP no cases\n"
	}
	_, err := io.WriteString(inert.NewWriter(w), plan+t.String())
	return err
}

type tap struct {
	strings.Builder
	points int
}

func (t *tap) testCase(c outcome.Case) error {
	switch c.Outcome {
	case outcome.Passed:
		t.point(true, c.FullName(), "")
	case outcome.Skipped:
		t.point(true, c.FullName(), strings.TrimSpace("SKIP "+words.OneLine(c.Skip)))
	case outcome.Failed:
		t.point(false, c.FullName(), "")
		return t.diagnostics("fail", outcome.CaseTroubles(c))
	default:
		t.point(false, c.FullName(), "")
		return t.diagnostics("error", outcome.CaseTroubles(c))
	}
	return nil
}

// point writes one test. A # in its name would begin a directive.
func (t *tap) point(ok bool, name, directive string) {
	t.points++
	word := "ok"
	if !ok {
		word = "not ok"
	}
	fmt.Fprintf(t, "%s %d - %s", word, t.points, tapEscapes.Replace(inert.Text(words.OneLine(name))))
	if directive != "" {
		t.WriteString(" # " + directive)
	}
	t.WriteString("\n")
}

var tapEscapes = strings.NewReplacer(`\`, `\\`, "#", `\#`)

// A tapDiagnostic is the YAML below a test point.
type tapDiagnostic struct {
	Severity string       `json:"severity"`
	Message  string       `json:"message"`
	Problems []tapProblem `json:"problems"`
}

type tapProblem struct {
	At      string `json:"at,omitempty"`
	Message string `json:"message"`
	Diff    string `json:"diff,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

func (t *tap) diagnostics(severity string, all []outcome.Trouble) error {
	d := tapDiagnostic{Severity: severity, Problems: []tapProblem{}}
	for _, one := range all {
		p := tapProblem{Message: inert.Text(one.Text), Diff: inert.Text(one.Detail), Hint: inert.Text(one.Hint)} // harnesses print them
		if one.At.File != "" {
			p.At = inert.Text(one.At.String())
		}
		d.Problems = append(d.Problems, p)
	}
	if len(all) > 0 {
		d.Message = inert.Text(all[0].Title())
	}
	block, err := encode.YAML(d)
	if err != nil {
		return err
	}
	t.WriteString("  ---\n")
	for line := range strings.Lines(string(block)) {
		t.WriteString(strings.TrimRight("  "+line, "\n ") + "\n")
	}
	t.WriteString("  ...\n")
	return nil
}
