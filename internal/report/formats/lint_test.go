package formats

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xeipuuv/gojsonschema"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/linter"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/report"
)

// findings returns one finding of each severity, and one that is accepted.
func findings(t *testing.T) *document.Lint {
	t.Helper()
	rules := map[lint.Severity]lint.Rule{}
	for _, r := range linter.Rules() {
		rules[r.Severity] = r
	}
	at := scenario.Source{File: "web hooks/a,b.yaml", Line: 3, Column: 5}
	finding := func(s lint.Severity) lint.Finding {
		return lint.Finding{
			Rule: rules[s], Severity: s, Source: at, Object: "MutatingWebhookConfiguration/a", Webhook: "a.example", Field: "webhooks[0].rules",
			Message: "100% of\nit", Remedy: rules[s].Remedy,
			Related: []lint.Related{{Source: scenario.Source{File: "b.yaml", Line: 1, Column: 1}, Message: "the Service"}},
		}
	}
	accepted := finding(lint.Warning)
	accepted.Reason = "it has to be"
	r := &linter.Result{
		Findings:       []lint.Finding{finding(lint.Error), finding(lint.Warning), finding(lint.Info), {Rule: rules[lint.Info], Severity: lint.Info, Source: scenario.Source{File: ".admsim.yaml"}, Message: "m", Remedy: "r"}},
		Suppressed:     []lint.Finding{accepted},
		Configurations: 1, Webhooks: 2,
	}
	return r.Document()
}

// The SARIF output matches the schema of OASIS: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
// errata01/os/schemas/sarif-schema-2.1.0.json.
func TestSARIF(t *testing.T) {
	official, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]*document.Lint{"nothing": (&linter.Result{}).Document(), "findings": findings(t)} {
		var out bytes.Buffer
		if err := WriteLint(&out, SARIF, l, document.Options{}); err != nil {
			t.Fatal(err)
		}
		result, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(official), gojsonschema.NewBytesLoader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range result.Errors() {
			t.Errorf("%s: %s", name, e)
		}
	}
}

// The output has what GitHub code scanning needs.
func TestSARIFResults(t *testing.T) {
	var out bytes.Buffer
	if err := WriteLint(&out, SARIF, findings(t), document.Options{}); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				Level        string
				Suppressions []struct{ Justification string }
				Locations    []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	var levels []string
	for _, r := range log.Runs[0].Results {
		levels = append(levels, r.Level)
	}
	if diff := cmp.Diff([]string{"error", "warning", "note", "note", "warning"}, levels); diff != "" {
		t.Errorf("levels: -want +got\n%s", diff)
	}
	first, last := log.Runs[0].Results[0], log.Runs[0].Results[4]
	if at := first.Locations[0].PhysicalLocation; at.ArtifactLocation.URI != "web%20hooks/a,b.yaml" || at.Region.StartLine != 3 || at.Region.StartColumn != 5 {
		t.Errorf("the place is %+v", at)
	}
	if first.Suppressions == nil || len(first.Suppressions) != 0 {
		t.Errorf("a finding that is not suppressed has suppressions %v", first.Suppressions)
	}
	if len(last.Suppressions) != 1 || last.Suppressions[0].Justification != "it has to be" {
		t.Errorf("the suppressed one has %v", last.Suppressions)
	}
}

// Characters that would end a command of GitHub's are escaped.
func TestGitHub(t *testing.T) {
	var out bytes.Buffer
	if err := WriteLint(&out, GitHub, findings(t), document.Options{}); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	if want := "::error file=web hooks/a%2Cb.yaml,line=3,col=5,title="; !strings.HasPrefix(first, want) {
		t.Errorf("%s\ndoes not begin with %s", first, want)
	}
	if want := "::MutatingWebhookConfiguration/a: a.example: 100%25 of%0Ait%0Aremedy: "; !strings.Contains(first, want) {
		t.Errorf("%s\nhas no %s", first, want)
	}
}

// A finding is a testcase at its place, and so is a rule without findings.
func TestLintJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := WriteLint(&out, JUnit, findings(t), document.Options{}); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Rule    string `xml:"classname,attr"`
			File    string `xml:"file,attr"`
			Line    int    `xml:"line,attr"`
			Failure *struct {
				Type string `xml:"type,attr"`
			} `xml:"failure"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
			Out string `xml:"system-out"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(out.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	found, corpus := map[string]bool{}, 0
	for _, c := range read.Cases[:5] {
		found[c.Rule] = true
	}
	for _, r := range linter.Rules() {
		if r.Corpus && !found[r.ID+" "+r.Name] {
			corpus++
		}
	}
	if want := 5 + len(linter.Rules()) - len(found); read.Tests != want || len(read.Cases) != want || read.Failures != 2 || read.Skipped != 1+corpus {
		t.Errorf("%d tests in %d testcases, %d failures, %d skipped; want %d tests, 2 failures, %d skipped", read.Tests, len(read.Cases), read.Failures, read.Skipped, want, 1+corpus)
	}
	failed, info, accepted := read.Cases[0], read.Cases[2], read.Cases[4]
	if failed.Failure == nil || failed.Failure.Type != "error" || failed.File != "web hooks/a,b.yaml" || failed.Line != 3 || !strings.HasPrefix(failed.Name, "MutatingWebhookConfiguration/a: a.example: 100% of") {
		t.Errorf("the error is %+v", failed)
	}
	if info.Failure != nil || !strings.Contains(info.Out, "remedy: ") {
		t.Errorf("the info is %+v", info)
	}
	if accepted.Skipped == nil || accepted.Skipped.Message != "accepted: it has to be" {
		t.Errorf("the accepted finding is %+v", accepted)
	}
}

// docs/lint.md lists the current rules.
func TestLintDocumentation(t *testing.T) {
	var out bytes.Buffer
	if err := WriteRules(&out, Markdown, linter.RulesDocument(), document.Options{}); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/lint.md", out.String())
}

// The published schema of findings and rules matches the types.
func TestLintSchema(t *testing.T) {
	s := &schemas{t: t, comments: comments(t), definitions: map[string]any{}}
	schema := map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         "https://raw.githubusercontent.com/admsim/admsim/main/docs/lint.schema.json",
		"title":       "Output of admsim lint, " + report.APIVersion,
		"description": "What admsim lint prints with -o json, and with --rules -o json.",
		"oneOf":       []any{s.of(reflect.TypeFor[document.Lint]()), s.of(reflect.TypeFor[document.LintRules]())},
		"$defs":       s.definitions,
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/lint.schema.json", string(text)+"\n")
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return WriteLint(b, JSON, findings(t), document.Options{}) },
		func(b *bytes.Buffer) error { return WriteRules(b, JSON, linter.RulesDocument(), document.Options{}) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		result, err := gojsonschema.Validate(gojsonschema.NewStringLoader(string(text)), gojsonschema.NewBytesLoader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range result.Errors() {
			t.Error(e)
		}
	}
}
