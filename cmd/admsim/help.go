package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help is as wide as the terminal, up to a width that is still easy to read. If it does not go to a terminal, it has a
// width that fits everywhere.
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
	own, shared := grouped(flags)
	text := flagsText(own, columns)
	if shared.HasFlags() {
		text += "\n" + sharedTitle + "\n" + flagsText(shared, columns)
	}
	usage := strings.Replace(c.UsageString(), strings.TrimRight(flags.FlagUsages(), "\n"), strings.TrimRight(text, "\n"), 1)
	if _, err := fmt.Fprintf(w, "%s\n\n%s", folded(about, columns), usage); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// sharedTitle is the title of the flags that are marked as [ofCluster].
const sharedTitle = "Flags for the simulated cluster:"

// clusterGroup is the annotation of flags in this group.
const clusterGroup = "admsim-cluster"

// ofCluster puts the flags that add adds into the group of those that describe the simulated cluster.
func ofCluster(c *cobra.Command, add func()) {
	before := map[*pflag.Flag]bool{}
	c.Flags().VisitAll(func(f *pflag.Flag) { before[f] = true })
	add()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !before[f] {
			_ = c.Flags().SetAnnotation(f.Name, clusterGroup, nil) // the flag exists
		}
	})
}

// grouped returns a command's own flags, and those that describe the simulated cluster. -C, which every call needs, is
// among the first.
func grouped(flags *pflag.FlagSet) (own, shared *pflag.FlagSet) {
	own, shared = pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		if _, marked := f.Annotations[clusterGroup]; marked && f.Name != "cluster" {
			shared.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	return own, shared
}

func helpColumns(w io.Writer) int {
	if columns := columnsOf(w); columns > 0 {
		return max(min(columns, mostHelpColumns), leastHelpColumns)
	}
	return fileHelpColumns
}

// flagColumn is the column in which the description of a flag begins; it goes on the next line if the name is too long.
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

// flagText returns what pflag prints for a flag: its name with the name of its value, and its description.
func flagText(f *pflag.Flag) (name, about string) {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	one.AddFlag(f)
	_, usage := pflag.UnquoteUsage(f)
	text := strings.TrimRight(one.FlagUsages(), "\n")
	at := strings.LastIndex(text, usage)
	return strings.TrimRight(text[:at], " "), text[at:]
}

// folded fills the paragraphs of a text. Indented lines are items of a list: their further lines are indented more, and
// are aligned with what follows the first word of the item.
func folded(text string, columns int) string {
	var all, parts []string // parts are the lines of the current paragraph or item
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

// wrapped breaks a text into lines of at most columns; a word that is longer gets a line of its own.
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
