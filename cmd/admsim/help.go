package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Help is as wide as the terminal, though not wider than what is read with ease; and where it
// goes elsewhere, as wide as anything can show.
const (
	mostHelpColumns  = 100
	leastHelpColumns = 40
	fileHelpColumns  = 80
)

// printHelp shows how a command is used.
func printHelp(c *cobra.Command) error {
	w := c.OutOrStdout()
	columns := helpColumns(w)
	about := c.Long
	if about == "" {
		about = c.Short
	}
	flags := c.LocalFlags()
	usage := strings.Replace(c.UsageString(), strings.TrimRight(flags.FlagUsages(), "\n"), strings.TrimRight(flagsText(flags, columns), "\n"), 1)
	if _, err := fmt.Fprintf(w, "%s\n\n%s", folded(about, columns), usage); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

func helpColumns(w io.Writer) int {
	if f, ok := behindDoor(w).(*os.File); ok && isTerminal(w) {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return max(min(columns, mostHelpColumns), leastHelpColumns)
		}
	}
	return fileHelpColumns
}

// flagColumn is where the text of a flag begins; one whose name is longer has it below.
const flagColumn = 30

func flagsText(flags *pflag.FlagSet, columns int) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, about := flagText(f)
		indent := strings.Repeat(" ", flagColumn)
		head := name + indent[min(utf8.RuneCountInString(name), flagColumn):]
		if utf8.RuneCountInString(name) > flagColumn-2 {
			head = name + "\n" + indent
		}
		lines := wrapped(about, columns-flagColumn)
		b.WriteString(head + strings.Join(lines, "\n"+indent) + "\n")
	})
	return b.String()
}

// flagText is what pflag says of a flag: its name with that of its value, and what it is for.
func flagText(f *pflag.Flag) (name, about string) {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	one.AddFlag(f)
	_, usage := pflag.UnquoteUsage(f)
	text := strings.TrimRight(one.FlagUsages(), "\n")
	at := strings.LastIndex(text, usage)
	return strings.TrimRight(text[:at], " "), text[at:]
}

// folded has the paragraphs of a text filled. Lines that are indented are items of a list, which
// go on below what stands behind their first word; further lines of one are indented more.
func folded(text string, columns int) string {
	var all, parts []string // lines of the paragraph or item at hand
	end := func() {
		all = append(all, foldedPart(strings.Join(parts, " "), columns)...)
		parts = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		indent := indentOf(line)
		switch {
		case line == "":
			end()
			all = append(all, "")
		case len(parts) > 0 && (indent == 0) == (indentOf(parts[0]) == 0) && (indent == 0 || indent > indentOf(parts[0])):
			parts = append(parts, line[indent:])
		default:
			end()
			parts = []string{line}
		}
	}
	end()
	return strings.Join(all, "\n")
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func foldedPart(text string, columns int) []string {
	head := text[:indentOf(text)]
	if _, rest, is := strings.Cut(text[len(head):], "  "); is && head != "" {
		head = strings.TrimSuffix(text, strings.TrimLeft(rest, " "))
	}
	lines := wrapped(text[len(head):], columns-len(head))
	for i := range lines {
		if i > 0 {
			head = strings.Repeat(" ", len(head))
		}
		lines[i] = head + lines[i]
	}
	return lines
}

// wrapped is a text in lines of so many columns; words that are longer have lines of their own.
func wrapped(text string, columns int) (lines []string) {
	line, width := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if line != "" && width+1+n > columns {
			lines = append(lines, line)
			line, width = "", 0
		}
		if line != "" {
			line, width = line+" ", width+1
		}
		line, width = line+word, width+n
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
