// Package tutorial runs the steps of a tutorial, and compares the output that the page shows with the real output.
//
// A tutorial is a page of Markdown. Two kinds of its code blocks are followed, in order; all others are only for
// reading:
//
//   - A block whose first line has the name of a file after the language ("```yaml world/policy.yaml") is written to
//     that file.
//   - A block of the language "console" has commands, each after "$ ", and below each its output, both standard output
//     and standard error. "…" stands for any lines, or within a line for any text. A command continues on the next line
//     after a backslash.
//
// A command that fails has to be followed by "echo $?", so a page always shows an exit code that is not 0.
//
// The package is for tests; [Follow] is its only function.
package tutorial

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/golden"
)

// Follow runs the steps of the page, in an empty folder and with these variables in addition to those of the test. With
// -update it writes the real output into the page where the shown output does not match.
func Follow(t *testing.T, page string, env ...string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	r := reader{t: t, folder: t.TempDir(), env: env}
	followed := r.follow(string(text))
	switch {
	case r.commands == 0:
		t.Errorf("%s has no commands", page)
	case r.failed != "":
		t.Errorf("%s ends with a command that fails, and does not say so: $ %s", page, r.failed)
	}
	if golden.Updating() {
		if err := os.WriteFile(page, []byte(followed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A reader follows one page.
type reader struct {
	t        *testing.T
	folder   string
	env      []string
	commands int
	exit     int    // exit code of the last command
	failed   string // the last command, if its exit code is not 0 and nothing has shown it yet
}

var opening = regexp.MustCompile("^```([a-z]+)(?: ([^ ]+))?$")

// follow runs the page and returns it with the real output.
func (r *reader) follow(page string) string {
	var out strings.Builder
	lines := strings.SplitAfter(page, "\n")
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		block := opening.FindStringSubmatch(strings.TrimSuffix(lines[i], "\n"))
		if block == nil {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSuffix(lines[end], "\n") != "```" {
			end++
		}
		body := strings.Join(lines[i+1:end], "")
		switch language, file := block[1], block[2]; {
		case file != "":
			r.write(file, body)
		case language == "console":
			body = r.session(body)
		}
		out.WriteString(body)
		i = end - 1
		if end < len(lines) {
			out.WriteString(lines[end])
			i = end
		}
	}
	return out.String()
}

func (r *reader) write(file, text string) {
	r.t.Helper()
	if !filepath.IsLocal(file) {
		r.t.Fatalf("%s is outside of the reader's folder", file)
	}
	path := filepath.Join(r.folder, file)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// session runs the commands of a block, and returns it with their output.
func (r *reader) session(block string) string {
	r.t.Helper()
	var out strings.Builder
	before, rest, ok := strings.Cut("\n"+block, "\n$ ")
	if !ok || before != "" {
		r.t.Errorf("a block does not begin with a command:\n%s", block)
		return block
	}
	for one := range strings.SplitSeq(rest, "\n$ ") {
		command, shown := cutCommand(one)
		printed := r.run(command)
		if shown = withNewline(shown); !fits(shown, printed) {
			if !golden.Updating() {
				r.t.Errorf("$ %s\nis not what the page shows, -update rewrites it (-page +printed):\n%s", command, cmp.Diff(shown, printed))
			}
			shown = printed
		}
		out.WriteString("$ " + command + "\n" + shown)
	}
	return out.String()
}

// cutCommand separates a command from the output below it.
func cutCommand(text string) (command, shown string) {
	lines := strings.Split(text, "\n")
	end := 1
	for end < len(lines) && strings.HasSuffix(lines[end-1], `\`) {
		end++
	}
	return strings.Join(lines[:end], "\n"), strings.Join(lines[end:], "\n")
}

func (r *reader) run(command string) (printed string) {
	r.t.Helper()
	r.commands++
	if r.failed != "" && command != "echo $?" {
		r.t.Errorf("the page does not show that this command fails, $ echo $? does: $ %s\nexit code %d", r.failed, r.exit)
	}
	c := exec.CommandContext(r.t.Context(), "sh", "-c", fmt.Sprintf("(exit %d); %s", r.exit, command))
	c.Dir, c.Env = r.folder, append(append(os.Environ(), "PWD="+r.folder), r.env...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	r.exit, r.failed = 0, ""
	if err := c.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			r.t.Fatalf("$ %s: %v", command, err)
		}
		r.exit, r.failed = exit.ExitCode(), command
	}
	return withNewline(out.String())
}

func withNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// fits reports whether printed matches what a page shows, where … stands for anything.
func fits(shown, printed string) bool {
	pattern := regexp.QuoteMeta(shown)
	pattern = regexp.MustCompile(`(?m)^ *…\n`).ReplaceAllString(pattern, `(?:.*\n)*`)
	pattern = strings.ReplaceAll(pattern, "…", `.*`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(printed)
}
