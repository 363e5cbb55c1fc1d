package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

func TestFlow(t *testing.T) {
	for _, tt := range []struct{ value, want, reason string }{
		{`"nginx:1.29"`, `nginx:1.29`, "an image needs no quotes"},
		{`"a: b"`, `"a: b"`, "this would be a mapping"},
		{`"true"`, `"true"`, "text that looks like a boolean"},
		{`"on"`, `"on"`, "so does this in YAML 1.1"},
		{`"3"`, `"3"`, "text that looks like a number"},
		{`""`, `""`, "nothing at all"},
		{`"<a & b>"`, `"<a & b>"`, "no HTML here"},
		{`"ends with a colon:"`, `"ends with a colon:"`, "a key"},
		{`9007199254740993`, `9007199254740993`, "numbers stay as they are written"},
		{`null`, `null`, ""},
		{`{"b":[1,{"c":true}],"a":{}}`, `{b: [1, {c: true}], a: {}}`, "in the order given"},
		{`[]`, `[]`, ""},
		{`"` + strings.Repeat("x", 500) + `"`, strings.Repeat("x", 380) + "... (500 characters)", "no pages of base64"},
	} {
		got := document.Flow(json.RawMessage(tt.value))
		if tt.want[0] != '"' {
			got = strings.Trim(got, `"`)
		}
		if got != tt.want {
			t.Errorf("flow(%s) = %s, want %s: %s", tt.value, got, tt.want, tt.reason)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text, reason string
		want         []string
	}{
		{"", "nothing to write", nil},
		{"one two three four five", "breaks at blanks", []string{"one two three four", "five"}},
		{"äöüäöüäöüäöüäöüäöü a", "counts characters, not bytes", []string{"äöüäöüäöüäöüäöüäöü a"}},
		{"a\nb\n", "breaks stay", []string{"a", "b"}},
		{`is {"a":["b","c"],"dd":{"e":true,"f":1,"g":"h i,j"}}`, "JSON is broken between values", []string{`is {"a":["b","c"],`, `"dd":{"e":true,`, `"f":1,"g":"h i,j"}}`}},
		{`[{"a":1},{"b":2},{"c":3},[4]]`, "and between items", []string{`[{"a":1},{"b":2},`, `{"c":3},[4]]`}},
		{"short https://somewhere.example/very/long", "a long word has its own row", []string{"short", "https://somewhere.example/very/long"}},
	} {
		if diff := cmp.Diff(tt.want, wrap(tt.text, 20)); diff != "" {
			t.Errorf("wrap(%q): %s: -want +got\n%s", tt.text, tt.reason, diff)
		}
	}
}

func TestChanges(t *testing.T) {
	changes := []report.Change{
		{Op: "add", Path: "/metadata/labels/a", Value: json.RawMessage(`"b"`)},
		{Op: "replace", Path: "/spec/replicas", Old: json.RawMessage("1"), Value: json.RawMessage("2")},
		{Op: "remove", Path: "/spec/paused", Old: json.RawMessage("true")},
		{Op: "add", Path: "/spec/containers/1", Value: json.RawMessage(`{"name":"proxy","image":"registry.example/mesh/proxy:1.30.1","args":["--upstream","127.0.0.1:8080","--verbose"]}`)},
		{Op: "replace", Path: "", Old: json.RawMessage(`{"a":1}`), Value: json.RawMessage(`[]`)},
	}
	p := newPage(document.Options{})
	p.changes(2, changes, false)
	want := `
  + /metadata/labels/a: b
  ~ /spec/replicas: 1 -> 2
  - /spec/paused: true
  + /spec/containers/1:
      args:
      - --upstream
      - 127.0.0.1:8080
      - --verbose
      image: registry.example/mesh/proxy:1.30.1
      name: proxy
  ~ /: {a: 1} -> []
`
	if diff := cmp.Diff(want, "\n"+p.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	p = newPage(document.Options{})
	p.changes(2, changes[2:4], true)
	want = `
  - /spec/paused: true
  + /spec/containers/1: {3 fields}
`
	if diff := cmp.Diff(want, "\n"+p.String()); diff != "" {
		t.Errorf("counted: -want +got\n%s", diff)
	}
}

// The server's bookkeeping is named once, however much of it changed.
func TestApart(t *testing.T) {
	rest, about := words.Apart([]report.Change{
		{Op: "add", Path: "/metadata/managedFields/0"},
		{Op: "add", Path: "/metadata/managedFields/1"},
		{Op: "add", Path: "/metadata/uid"},
		{Op: "add", Path: "/metadata/uidish"},
		{Op: "add", Path: "/spec/uid"},
	})
	if diff := cmp.Diff([]string{"managedFields", "uid"}, about); diff != "" {
		t.Errorf("about: -want +got\n%s", diff)
	}
	if len(rest) != 2 || rest[0].Path != "/metadata/uidish" || rest[1].Path != "/spec/uid" {
		t.Errorf("rest = %v", rest)
	}
}

// Only words are coloured, and every colour ends.
func TestPaint(t *testing.T) {
	p := paletteOf(true)
	if got, want := p.paint(p.good, "  a b "), "  "+inert.Mark(inert.Green)+"a b"+inert.Mark(inert.Reset)+" "; got != want {
		t.Errorf("paint = %q, want %q", got, want)
	}
	if got := p.paint(p.good, "   "); got != "   " {
		t.Errorf("paint of blanks = %q", got)
	}
	if got := paletteOf(false).paint("", "a"); got != "a" {
		t.Errorf("without colours: %q", got)
	}
}

// Text on a terminal is as wide as the terminal, within limits.
func TestColumns(t *testing.T) {
	for _, tt := range []struct{ terminal, want int }{{0, 100}, {72, 72}, {30, 60}, {200, 100}} {
		p := newPage(document.Options{Columns: tt.terminal})
		p.paragraph(4, "", strings.Repeat("a ", 200))
		row, _, _ := strings.Cut(p.String(), "\n")
		if got := words.Columns(row); got != tt.want && got != tt.want-1 {
			t.Errorf("a terminal of %d columns: a row of %d, want %d", tt.terminal, got, tt.want)
		}
	}
}

// Differences in a message keep their columns, and sentences are broken where there is room.
func TestWrapKeepsColumns(t *testing.T) {
	got := wrap("words that are too long for a row\n-\t\tName: \"a\",\n   \"Image\": \"x\",\n\n", 22)
	want := []string{"words that are too", "long for a row", "-    Name: \"a\",", "   \"Image\": \"x\","}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
