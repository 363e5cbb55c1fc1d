package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A markdown is a page of documentation.
type markdown struct {
	name string // from the top of the repository
	text string
}

// documents returns all pages except those of tests.
func documents(t *testing.T) (all []markdown) {
	t.Helper()
	top := filepath.Join("..", "..")
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", "node_modules", "dist", ".git"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, path)
		all = append(all, markdown{filepath.ToSlash(name), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("%d pages", len(all))
	}
	return all
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	span    = regexp.MustCompile("`([^`\n]+(?:\n[^`\n]+)?)`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// The pages and headings that a page links to exist.
func TestDocumentLinks(t *testing.T) {
	anchors := map[string][]string{}
	all := documents(t)
	for _, p := range all {
		for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(p.text, ""), -1) {
			anchors[p.name] = append(anchors[p.name], anchor(m[1]))
		}
	}
	for _, p := range all {
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(fence.ReplaceAllString(p.text, ""), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			path, part, _ := strings.Cut(m[1], "#")
			target := p.name
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(p.name), path))
			}
			if _, err := os.Stat(filepath.Join("..", "..", target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", p.name, m[1])
			} else if part != "" && strings.HasSuffix(target, ".md") && !slices.Contains(anchors[target], part) {
				t.Errorf("%s links to %s, which has no such heading", p.name, m[1])
			}
		}
	}
}

// anchor returns the name that GitHub gives to a heading.
func anchor(heading string) string {
	heading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	return strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// The commands in documents exist, and so do their flags.
func TestDocumentCommands(t *testing.T) {
	root := newRoot(invocation{}, []string{"help"})
	checked := 0
	for _, p := range documents(t) {
		for _, line := range commandsIn(p.text) {
			checked++
			if wrong := wrongWith(root, line); wrong != "" {
				t.Errorf("%s: %s: %s", p.name, strings.Join(line, " "), wrong)
			}
		}
	}
	if checked < 200 {
		t.Errorf("%d commands were checked", checked)
	}
}

// commandsIn returns the arguments of admsim in the code blocks and code spans of a page.
func commandsIn(text string) (all [][]string) {
	var code []string
	for _, block := range fence.FindAllString(text, -1) {
		code = append(code, strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n")...)
	}
	text = fence.ReplaceAllString(text, "")
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if indented, ok := strings.CutPrefix(line, "    "); ok {
			code = append(code, indented)
		}
	}
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		code = append(code, strings.ReplaceAll(m[1], "\n", " "))
	}
	for _, line := range code {
		words := shellWords(line)
		for i, word := range words {
			if word == "admsim" && (i == 0 || startsCommand(words[i-1])) && i+1 < len(words) {
				all = append(all, words[i+1:])
				break
			}
		}
	}
	return all
}

// startsCommand reports whether a command may follow the word before it.
func startsCommand(before string) bool {
	return slices.Contains([]string{"|", "&&", ";", "$", "kubectl", "run:", "-", "exec"}, before) || strings.Contains(before, "=")
}

// shellWords returns the words of a line up to where another command or a comment begins.
func shellWords(line string) (words []string) {
	for _, m := range regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`).FindAllString(line, -1) {
		if strings.HasPrefix(m, "#") {
			break
		}
		words = append(words, strings.TrimRight(strings.TrimPrefix(m, "$("), ")"))
	}
	return words
}

// wrongWith describes the first command or flag in args that does not exist; it returns "" if all exist.
func wrongWith(root *cobra.Command, args []string) string {
	for i, arg := range args {
		if slices.Contains([]string{"|", "&&", ";", ">", "2>", "&", "--", "\\"}, arg) {
			args = args[:i]
			break
		}
	}
	if len(args) == 0 || !regexp.MustCompile(`^[a-z]+$`).MatchString(args[0]) {
		return "" // an address of a page, a file, a flag of all commands
	}
	c, _, err := root.Find(args)
	if err != nil || c == root {
		if slices.Contains([]string{"completion", "help"}, args[0]) {
			return ""
		}
		return "no such command"
	}
	for _, arg := range args[1:] {
		name, _, _ := strings.Cut(arg, "=")
		switch {
		case strings.HasPrefix(name, "--"):
			if name = strings.TrimPrefix(name, "--"); regexp.MustCompile(`^[a-z][a-z-]*[a-z]$`).MatchString(name) && c.Flags().Lookup(name) == nil && name != "help" {
				return "no flag --" + name
			}
		case regexp.MustCompile(`^-[A-Za-z]$`).MatchString(name):
			if c.Flags().ShorthandLookup(name[1:]) == nil && name != "-h" {
				return "no flag " + name
			}
		}
	}
	return ""
}
