package formats

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xeipuuv/gojsonschema"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/ci"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// Each line is a command, whatever the texts contain.
func TestSuitesGitHub(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning) (file=[^,:]+,)?(line=\d+,)?(col=\d+,)?title=[^,:]+::.+$`)
	lines := strings.Split(strings.TrimSuffix(written(t, GitHub, reporttest.Results(t)), "\n"), "\n")
	for _, line := range lines {
		if !command.MatchString(line) {
			t.Errorf("%q is no command", line)
		}
	}
	if want := "::error file=tests/pods.yaml,line=23,col=3,title=pods/denied[fault=timeout]::expect.allowed: want true, got false%0Ahint: images.shop.example denied it"; lines[1] != want {
		t.Errorf("%s\nwant\n%s", lines[1], want)
	}
	if len(lines) != 8 || !strings.HasPrefix(lines[6], "::warning file=tests/pods.yaml,line=5,col=3,title=pods::100%25 of%0Athat") {
		t.Errorf("%d lines, the warning is %s", len(lines), lines[6])
	}
}

// Text in Markdown stays text: it is in fences that it cannot end, or escaped.
func TestSuitesMarkdown(t *testing.T) {
	text := written(t, Markdown, reporttest.Results(t))
	for _, want := range []string{
		"## ❌ 1 failed, 1 with errors, 1 passed, 1 skipped, 2 problems of suites\n",
		"<summary><b>❌ <code>pods/denied[fault=timeout]</code></b> <code>tests/pods.yaml:20</code></summary>",
		"```diff\ntests/pods.yaml:23: expect.allowed: want true, got false\n",
		"| <code>pods</code> | 1 | 1 | 2 | 1 | 1.4s |\n",
		"**Coverage: 50.0 %**", "| selector | 0 of 1 |",
		"- <code>tests/pods.yaml:9</code> <code>selector defaults/mesh.shop.example namespaceSelector: matched</code>\n",
		"\nBuilt-in plugins that ran and never decided anything: <code>LimitRanger</code>\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	inFence := ""
	for line := range strings.Lines(text) {
		fence := regexp.MustCompile("^`{3,}").FindString(line)
		switch {
		case inFence == "" && fence != "":
			inFence = fence
		case inFence != "" && strings.TrimRight(line, "\n") == inFence:
			inFence = ""
		case inFence == "" && strings.Contains(line, "<script"):
			t.Errorf("a script outside of a fence: %s", line)
		}
	}
	if inFence != "" {
		t.Error("a fence has no end")
	}
}

// GitHub shows a summary of up to 1 MiB. The output has the problems of a few cases, and then says how many more there
// are.
func TestSuitesMarkdownLength(t *testing.T) {
	r := &outcome.Results{Suites: []outcome.Suite{{Name: "many"}}}
	for range 2000 {
		r.Suites[0].Cases = append(r.Suites[0].Cases, outcome.Case{
			Suite: "many", Name: "case", Outcome: outcome.Failed, Failures: []outcome.Failure{{Path: "expect.message", Want: strings.Repeat("a", 500), Got: "b"}},
		})
	}
	text := written(t, Markdown, r)
	if len(text) > 1<<20 || !strings.Contains(text, " more did not pass: other formats have them all.\n") || !strings.Contains(text, "| <code>many</code> | 0 | 2000 |") {
		t.Errorf("%d bytes, ending in\n%s", len(text), text[len(text)-300:])
	}
}

// The expected and the actual value are on one line if possible, since titles are only one line.
func TestFailureText(t *testing.T) {
	for _, tt := range []struct{ want, got, text string }{
		{"true", "false", "expect.allowed: want true, got false"},
		{"true", "false: denied\nask us", "expect.allowed: want true, got false: denied\n  ask us"},
		{"a\nb", "c", "expect.allowed: want\n  a\n  b\ngot\n  c"},
	} {
		if diff := cmp.Diff(tt.text, outcome.FailureText(outcome.Failure{Path: "expect.allowed", Want: tt.want, Got: tt.got})); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestSuitesMarkdownFence(t *testing.T) {
	m := &ci.Markdown{}
	m.Fenced("", "a\n````\nb")
	if diff := cmp.Diff("`````\na\n````\nb\n`````\n\n", m.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The SARIF output matches its schema, and its results are at the places of expectations.
func TestSuitesSARIF(t *testing.T) {
	official, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(official))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*outcome.Results{"nothing": {}, "everything": reporttest.Results(t)} {
		result, err := schema.Validate(gojsonschema.NewStringLoader(written(t, SARIF, r)))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range result.Errors() {
			t.Errorf("%s: %s", name, e)
		}
	}
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
					LogicalLocations []struct{ FullyQualifiedName string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, SARIF, reporttest.Results(t))), &log); err != nil {
		t.Fatal(err)
	}
	all := log.Runs[0].Results
	if len(all) != 8 || all[6].Level != "warning" {
		t.Fatalf("results are %+v", all)
	}
	at := all[1].Locations[0]
	if all[1].RuleID != "not-as-expected" || at.PhysicalLocation.ArtifactLocation.URI != "tests/pods.yaml" || at.PhysicalLocation.Region.StartLine != 23 ||
		at.LogicalLocations[0].FullyQualifiedName != "pods/denied[fault=timeout] expect.allowed" {
		t.Errorf("the first failure is %+v", all[1])
	}
}

// A tracefile has a line for each line on which a part begins, and branches for parts with two branches or a shared
// line.
func TestSuitesLCOV(t *testing.T) {
	at := func(file string, line int) scenario.Source { return scenario.Source{File: file, Line: line} }
	selector := func(line int, what, branch string, times int) outcome.Covered {
		return outcome.Covered{Part: outcome.SelectorPart, Of: "a", What: what, Branch: branch, Source: at("b.yaml", line), Times: times}
	}
	r := &outcome.Results{Coverage: &outcome.Coverage{Items: []outcome.Covered{
		{Part: outcome.PolicyPart, Of: "from a cluster", Source: scenario.Source{File: "a.json"}, Times: 1},
		{Part: outcome.WebhookPart, Of: "a", Source: at("b.yaml", 5), Times: 3},
		{Part: outcome.RulePart, Of: "a", What: "rules[0]", Source: at("b.yaml", 6)},
		selector(8, "namespaceSelector", "matched", 2), selector(8, "namespaceSelector", "not matched", 0),
		selector(9, "objectSelector", "matched", 0), selector(9, "objectSelector", "not matched", 0),
		{Part: outcome.RulePart, Of: "b", What: "rules[0]", Source: at("b.yaml", 11), Times: 4},
		{Part: outcome.RulePart, Of: "b", What: "rules[1]", Source: at("b.yaml", 11)},
		{Part: outcome.BindingPart, Of: "b", Source: at("c\nd.yaml", 1)},
	}}}
	want := `TN:
SF:b.yaml
BRDA:8,0,0,2
BRDA:8,0,1,0
BRDA:9,0,0,-
BRDA:9,0,1,-
BRDA:11,0,0,4
BRDA:11,1,0,0
BRF:6
BRH:2
DA:5,3
DA:6,0
DA:8,2
DA:9,0
DA:11,4
LF:5
LH:3
end_of_record
TN:
SF:c\nd.yaml
BRF:0
BRH:0
DA:1,0
LF:1
LH:0
end_of_record
`
	if diff := cmp.Diff(want, written(t, LCOV, r)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if text := written(t, LCOV, &outcome.Results{}); text != "" {
		t.Errorf("without coverage: %q", text)
	}
}

// Every test that begins ends exactly once, and so do the packages; failures are reported.
func TestGoTest(t *testing.T) {
	open, ended := map[string]bool{}, map[string]string{}
	for line := range strings.Lines(written(t, GoTest, reporttest.Results(t))) {
		var e ci.GoEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		key := e.Package + "/" + e.Test
		switch e.Action {
		case "start", "run":
			open[key] = true
		case "output":
			if !open[key] || !strings.HasSuffix(e.Output, "\n") {
				t.Errorf("output %+v of what does not run, or not a line", e)
			}
		case "pass", "fail", "skip":
			if !open[key] {
				t.Errorf("%s ended before it began", key)
			}
			delete(open, key)
			ended[key] = e.Action
		default:
			t.Errorf("unknown action %s", e.Action)
		}
	}
	want := map[string]string{
		"pods/": "fail", "pods/allowed": "pass", "pods/denied[fault=timeout]": "fail", "pods/" + inert.Text(reporttest.Hostile): "fail", "pods/later": "skip", "broken/": "fail",
	}
	if diff := cmp.Diff(want, ended); diff != "" || len(open) > 0 {
		t.Errorf("-want +got\n%s\nstill open: %v", diff, open)
	}
}
