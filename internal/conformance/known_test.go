package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The lists are a ratchet: cases that do not agree have to be listed, listed cases must not agree, and unfair cases do
// not count.
func TestKnown(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "1.37"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, "1.37", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(openFile, "# a comment\nopen\nmended\nelsewhere\n")
	write(unfairFile, "unfair the server's answer depends on the order of a map\n")
	known, err := LoadKnown(folder, "1.37")
	if err != nil {
		t.Fatal(err)
	}
	outcome := func(id, diff string) Outcome {
		return Outcome{Recording: &Recording{ID: id}, Request: &Request{ID: "1"}, Diff: diff}
	}
	expected := []Outcome{outcome("open", "- a\n"), outcome("unfair", "- a\n"), outcome("agrees", "")}
	var b strings.Builder
	if !known.News(&b, expected) || b.Len() > 0 {
		t.Errorf("News reports what is listed: %s", &b)
	}
	if fair := known.Fair(expected); len(fair) != 2 {
		t.Errorf("%d of 3 cases are fair, want 2", len(fair))
	}
	if known.News(&b, append(expected, outcome("new", "- a\n"))) || !strings.Contains(b.String(), "new") {
		t.Errorf("a case that differs and is not listed is not reported: %s", &b)
	}
	b.Reset()
	if known.News(&b, append(expected, outcome("mended", ""))) || !strings.Contains(b.String(), "mended agrees") {
		t.Errorf("a listed case that agrees is not reported: %s", &b)
	}
	if err := known.WriteOpen(folder, "1.37", expected); err != nil {
		t.Fatal(err)
	}
	if known, err = LoadKnown(folder, "1.37"); err != nil || len(known.Open) != 1 || !known.Open["open"] {
		t.Errorf("the written list has %v (%v), want open alone", known.Open, err)
	}
	write(unfairFile, "unfair\n")
	if _, err := LoadKnown(folder, "1.37"); err == nil {
		t.Error("a case may be unfair without a reason")
	}
	if none, err := LoadKnown(folder, "1.30"); err != nil || len(none.Open) > 0 {
		t.Errorf("the lists of a release without lists are %v (%v)", none, err)
	}
}
