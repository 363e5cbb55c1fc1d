package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// Help that does not go to a terminal fits into 80 columns, including the examples, which are meant to be copied.
func TestHelpFits(t *testing.T) {
	for _, c := range allCommands(newRoot(invocation{}, []string{"help"})) {
		var b strings.Builder
		c.SetOut(&b)
		if err := printHelp(c); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > fileHelpColumns {
				t.Errorf("%s --help: %s", c.CommandPath(), line)
			}
		}
		if f := c.Flags().Lookup("help"); f == nil || !strings.Contains(b.String(), "  -h, --help") {
			t.Errorf("%s --help does not list its flags:\n%s", c.CommandPath(), b.String())
		}
	}
}

// Help lists a command's own flags first, and then all that concern the cluster.
func TestHelpGroups(t *testing.T) {
	root := newRoot(invocation{}, []string{"help"})
	for _, tt := range []struct{ command, first, last string }{
		{"run", "  -f, --filename", "      --kubernetes-version"},
		{"lint", "      --rules", "      --kubeconfig"},
		{"replay", "  -C, --cluster", "      --feature-gates"},
		{"serve", "      --kubeconfig", "      --from-cluster"}, // the kubeconfig for clients
		{"test", "  -r, --run", "      --authorization"},
	} {
		c, _, err := root.Find([]string{tt.command})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		c.SetOut(&b)
		if err := printHelp(c); err != nil {
			t.Fatal(err)
		}
		own, shared, _ := strings.Cut(b.String(), "\n"+sharedTitle+"\n")
		if !strings.Contains(own, tt.first) || !strings.Contains(shared, tt.last) {
			t.Errorf("%s --help: want %s before %q, and %s after it:\n%s", tt.command, tt.first, sharedTitle, tt.last, &b)
		}
	}
}

// The examples in help are commands with flags that exist. A command continues on the next line after a backslash.
func TestHelpExamples(t *testing.T) {
	for _, c := range allCommands(newRoot(invocation{}, []string{"help"})) {
		text := strings.ReplaceAll(c.Example, "\\\n", "")
		if strings.Contains(text, "\\") {
			t.Errorf("%s --help: a backslash that does not end a line: %s", c.CommandPath(), c.Example)
		}
		for _, command := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n|;", r) }) {
			words := strings.Fields(strings.ReplaceAll(command, "'", ""))
			if len(words) == 0 || words[0] != "admsim" {
				continue
			}
			called, rest, err := newRoot(invocation{}, []string{"help"}).Find(words[1:])
			if err == nil {
				err = called.ParseFlags(rest)
			}
			if err != nil || !called.HasParent() {
				t.Errorf("%s --help: %s: %v", c.CommandPath(), command, err)
			}
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
		{"words that are too long get a line of their own", "a/very/long/path/name b", "a/very/long/path/name\nb"},
		{"items continue below their text", "these:\n  one  a b c d e f\n       g\n  two  a", "these:\n  one  a b c\n       d e f\n       g\n  two  a"},
		{"an item without a text of its own", "these:\n\n  one two three four", "these:\n\n  one two\n  three four"},
	} {
		if diff := cmp.Diff(tt.want, folded(tt.text, 13)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
