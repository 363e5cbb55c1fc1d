package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The table in the document has a row for each input, in order, whatever the figures are.
func TestDocumentHasEachInput(t *testing.T) {
	data, err := os.ReadFile("../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte(begin))
	written, _, closed := bytes.Cut(rest, []byte(end))
	if !closed {
		t.Fatal("the document has no place for the table")
	}
	var rows []row
	for _, in := range inputs() {
		rows = append(rows, row{input: in})
	}
	got, want := names(string(written)), names(table(rows))
	for i := range max(len(got), len(want)) {
		var has, wants string
		if i < len(got) {
			has = got[i]
		}
		if i < len(want) {
			wants = want[i]
		}
		if has != wants {
			t.Fatalf("row %d of the document is %q, want %q: make hostile", i+1, has, wants)
		}
	}
}

// names returns the inputs in the rows of a table, with their commands.
func names(table string) (names []string) {
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) > 2 {
			names = append(names, strings.TrimPrefix(cells[0], "| ")+": "+cells[2])
		}
	}
	return names
}
