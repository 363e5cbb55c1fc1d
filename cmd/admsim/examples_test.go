package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The commands in the READMEs of examples do what they say, and can be copied from there to the root of a checkout: an
// indented line is a command, and the comment after it begins with how the command ends.
func TestExamples(t *testing.T) {
	readmes, err := filepath.Glob("../../examples/*/README.md")
	if err != nil || len(readmes) < 4 {
		t.Fatalf("found %d READMEs of examples, %v", len(readmes), err)
	}
	for _, name := range readmes {
		example := filepath.Base(filepath.Dir(name))
		t.Run(example, func(t *testing.T) {
			if slices.Contains(policyEngines, example) {
				t.Skip("it needs the program of a policy engine: make engines ENGINES=FOLDER")
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir("../..")
			if runAll(t, string(text)) == 0 {
				t.Error("no command in it was run")
			}
		})
	}
}

// runAll checks how each command of a README ends, and returns the number of commands.
func runAll(t *testing.T, readme string) (ran int) {
	t.Helper()
	for line := range strings.Lines(readme) {
		if command, ok := strings.CutPrefix(line, "    "); ok && runs(t, command) {
			ran++
		}
	}
	return ran
}

// runs reports whether a line is a command, and checks how it ends.
func runs(t *testing.T, line string) bool {
	t.Helper()
	command, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
	words := strings.Fields(command)
	switch {
	case len(words) == 0:
		return false
	case words[0] == "cd":
		t.Chdir(words[1])
		return false
	case words[0] == "npm":
		t.Skip("it needs packages of npm: make javascript runs it")
	case words[0] == "admsim":
		var stdout, stderr strings.Builder
		want, ends := exitAdmitted, strings.TrimSpace(comment)
		if strings.HasPrefix(ends, "denied") || strings.HasPrefix(ends, "fails") {
			want = exitDenied
		}
		if got := run(context.Background(), words[1:], strings.NewReader(""), &stdout, &stderr); got != want {
			t.Errorf("%s\nexit code %d, want %d\n%s%s", command, got, want, &stdout, &stderr)
		}
		first, _, _ := strings.Cut(ends, ":")
		if _, time, ok := strings.Cut(first, " after "); ok && !strings.Contains(stdout.String(), "after "+time) {
			t.Errorf("%s\nwant %s\n%s", command, first, &stdout)
		}
		return true
	case slices.Equal(words, []string{"go", "test", "./..."}):
		t.Skip("it is built with packages of clients: make clients runs it")
	}
	return false
}

// The commands in the README that are indented run in a checkout as they are.
func TestREADMECommands(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	if ran := runAll(t, string(text)); ran < 5 {
		t.Errorf("only %d commands in it were run", ran)
	}
}

// The README shows what its first command prints, where … stands for anything.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nCGO_ENABLED=0 go run ./cmd/admsim ")
	command, rest, _ := strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(rest, "prints\n\n```\n")
	shown, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("the README shows no command with its output")
	}
	t.Chdir("../..")
	var stdout, stderr strings.Builder
	if got := run(context.Background(), strings.Fields(command), strings.NewReader(""), &stdout, &stderr); got != exitAdmitted {
		t.Fatalf("%s: exit code %d\n%s", command, got, &stderr)
	}
	left := stdout.String()
	for part := range strings.SplitSeq(shown, "  …\n") {
		before, after, ok := strings.Cut(left, part)
		if !ok {
			t.Fatalf("%s prints\n%s\nwhere the README shows\n%s", command, left, part)
		}
		if left == stdout.String() && before != "" {
			t.Errorf("%s prints first\n%s", command, before)
		}
		left = after
	}
}
