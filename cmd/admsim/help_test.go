package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// Help that does not go to a terminal fits into 80 columns, but for commands, which are to be
// copied, and how one is used.
func TestHelpFits(t *testing.T) {
	for _, c := range allCommands(newRoot([]string{"help"})) {
		var b strings.Builder
		c.SetOut(&b)
		if err := printHelp(c); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > fileHelpColumns && !strings.Contains(line, " admsim ") {
				t.Errorf("%s --help: %s", c.CommandPath(), line)
			}
		}
		if f := c.Flags().Lookup("help"); f == nil || !strings.Contains(b.String(), "  -h, --help") {
			t.Errorf("%s --help does not list its flags:\n%s", c.CommandPath(), b.String())
		}
	}
}

func allCommands(c *cobra.Command) []*cobra.Command {
	c.InitDefaultHelpFlag()
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, allCommands(sub)...)
	}
	return all
}

func TestFolded(t *testing.T) {
	for _, tt := range []struct{ reason, text, want string }{
		{"paragraphs are filled", "one two\nthree four five\n\nsix", "one two three\nfour five\n\nsix"},
		{"words that are too long have a line of their own", "a/very/long/path/name b", "a/very/long/path/name\nb"},
		{"items go on below their text", "these:\n  one  a b c d e f\n       g\n  two  a", "these:\n  one  a b c\n       d e f\n       g\n  two  a"},
		{"an item without a text of its own", "these:\n\n  one two three four", "these:\n\n  one two\n  three four"},
	} {
		if diff := cmp.Diff(tt.want, folded(tt.text, 13)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
