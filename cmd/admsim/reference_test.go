package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/reference"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The pages of docs/reference match the program. make update writes them.
func TestReference(t *testing.T) {
	for name, page := range map[string]string{
		"commands.md": commandsPage(),
		"formats.md":  formatsPage(t),
		"plugins.md":  pluginsPage(),
	} {
		t.Run(name, func(t *testing.T) {
			golden.File(t, "../../docs/reference/"+name, page)
		})
	}
}

const writtenByUpdate = "<!-- Written by make update: do not edit. -->\n\n"

// inMarkdown escapes text for a paragraph; what it has in backquotes is code.
func inMarkdown(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`).Replace(text)
}

// inCell escapes text for a cell of a table.
func inCell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "|", `\|`)
}

func commandsPage() string {
	var b strings.Builder
	b.WriteString("# Commands and flags\n\n" + writtenByUpdate)
	b.WriteString("The output of `admsim COMMAND --help` for all commands.\n\n")
	root := newRoot(invocation{}, []string{"help"})
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "**%s**\n\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				fmt.Fprintf(&b, "- [%s](#%s): %s\n", c.CommandPath(), anchor(c.CommandPath()), c.Short)
			}
		}
		b.WriteString("\n")
	}
	for _, g := range root.Groups() {
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				writeCommand(&b, c)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "## %s\n\n", c.CommandPath())
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	for paragraph := range strings.SplitSeq(about, "\n\n") {
		if strings.Contains("\n"+paragraph, "\n ") { // a list, whose columns must be kept
			fmt.Fprintf(b, "```text\n%s\n```\n\n", paragraph)
		} else {
			b.WriteString(inMarkdown(paragraph) + "\n\n")
		}
	}
	if c.Runnable() {
		fmt.Fprintf(b, "```text\n%s\n```\n\n", c.UseLine())
	}
	if c.Example != "" {
		b.WriteString("Examples:\n\n```sh\n")
		for line := range strings.SplitSeq(c.Example, "\n") {
			b.WriteString(strings.TrimPrefix(line, "  ") + "\n")
		}
		b.WriteString("```\n\n")
	}
	own, shared := grouped(c.LocalFlags())
	writeFlags(b, own)
	if shared.HasFlags() {
		b.WriteString(sharedTitle + "\n\n")
		writeFlags(b, shared)
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			writeCommand(b, sub)
		}
	}
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	n := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if n++; n == 1 {
			b.WriteString("| flag | |\n|---|---|\n")
		}
		name, about := flagText(f)
		fmt.Fprintf(b, "| `%s` | %s |\n", inCell(strings.TrimSpace(name)), inCell(inMarkdown(about)))
	})
	if n > 0 {
		b.WriteString("\n")
	}
}

func pluginsPage() string {
	release := kubeversion.Default()
	var b strings.Builder
	b.WriteString("# Admission plugins\n\n" + writtenByUpdate)
	fmt.Fprintf(&b, "The output of `admsim plugins`: the plugins of %s in the order in which they run, and then those that only older\nreleases have.\n\n", release.Version)
	b.WriteString("| plugin | phases | releases | on by default in |\n|---|---|---|---|\n")
	all := reference.Plugins(release).Items
	for _, p := range all {
		on := "none"
		if len(p.OnIn) > 0 {
			on = document.SpanWords(p.OnIn)
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", p.Name, anchor(p.Name), strings.Join(p.Phases, ", "), document.SpanWords(p.Releases), on)
	}
	for _, p := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p.Name, inMarkdown(p.Does))
		writeList(&b, "It looks at", p.Reads)
		writeList(&b, "It needs", p.Needs)
		if p.Backend != "" {
			fmt.Fprintf(&b, "\nIts service is answered for by a [backend](../scenario.md#backends) for the webhook `%s`.\n", p.Backend)
		}
		if p.Configuration != "" {
			how := "It can be configured"
			if p.Required {
				how = "It has to be configured"
			}
			fmt.Fprintf(&b, "\n%s:\n\n```yaml\n%s\n```\n", how, strings.TrimSpace(p.Configuration))
		}
		writeList(&b, "Where admsim is known to differ", p.Gaps)
	}
	return b.String()
}

func writeList(b *strings.Builder, title string, items []string) {
	if len(items) > 0 {
		fmt.Fprintf(b, "\n%s:\n\n", title)
	}
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", inMarkdown(item))
	}
}

func formatsPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var root struct{ Definitions json.RawMessage }
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	s := schemas{t: t, byName: map[string]json.RawMessage{}}
	var b strings.Builder
	b.WriteString("# Keys of admsim's own files\n\n" + writtenByUpdate)
	b.WriteString("All keys of the documents of kind [Suite](#suite), [Request](#request), [Backends](#backends) and [Faults](#faults), from\n[the schema](../scenario.schema.json) that [editors](../editors.md) use. What they mean is explained in [scenario](../scenario.md),\n[suite](../suite.md) and [serve](../serve.md#faults).\n")
	definitions := members(t, root.Definitions)
	for _, d := range definitions {
		s.byName[d.key] = d.value
	}
	for _, d := range definitions {
		s.write(&b, d.key, d.value)
	}
	return b.String()
}

// A member is a member of a JSON object. Members are in the order of the file.
type member struct {
	key   string
	value json.RawMessage
}

func members(t *testing.T, object json.RawMessage) (all []member) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		m := member{key: key.(string)}
		if err := d.Decode(&m.value); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// schemas holds the definitions of a schema by name.
type schemas struct {
	t      *testing.T
	byName map[string]json.RawMessage
}

// A fragment is the part of JSON Schema that docs/scenario.schema.json uses to describe types.
type fragment struct {
	Ref         string `json:"$ref"`
	Description string
	Type        any
	Enum        []any
	Const       any
	AnyOf       []fragment
	Items       *fragment
	Required    []string
	Properties  json.RawMessage
	Additional  any `json:"additionalProperties"`
}

func (s schemas) parse(raw json.RawMessage) (f fragment) {
	s.t.Helper()
	if err := json.Unmarshal(raw, &f); err != nil {
		s.t.Fatal(err)
	}
	return f
}

// write writes a section about a definition with keys. Other definitions are described where they are referred to.
func (s schemas) write(b *strings.Builder, name string, raw json.RawMessage) {
	f := s.parse(raw)
	if f.Properties == nil {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", name)
	if f.Description != "" {
		b.WriteString(inMarkdown(strings.ToUpper(f.Description[:1])+f.Description[1:]) + ".\n\n")
	}
	b.WriteString("| key | value | |\n|---|---|---|\n")
	for _, p := range members(s.t, f.Properties) {
		value := s.parse(p.value)
		about := value.Description
		if target, ok := s.byName[strings.TrimPrefix(value.Ref, "#/definitions/")]; ok && about == "" {
			if named := s.parse(target); named.Properties == nil {
				about = named.Description
			}
		}
		if slices.Contains(f.Required, p.key) {
			about = strings.TrimSuffix("required; "+about, "; ")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", p.key, inCell(s.value(value)), inCell(inMarkdown(about)))
	}
}

// value describes the values that a key may have.
func (s schemas) value(f fragment) string {
	switch {
	case f.Ref != "":
		return s.named(strings.TrimPrefix(f.Ref, "#/definitions/"))
	case f.AnyOf != nil:
		return s.alternatives(f.AnyOf)
	case f.Const != nil:
		return fmt.Sprintf("`%v`", f.Const)
	case f.Enum != nil:
		var all []string
		for _, one := range f.Enum {
			all = append(all, fmt.Sprintf("`%v`", one))
		}
		return strings.Join(all, ", ")
	case f.Items != nil:
		return "list of " + s.value(*f.Items)
	case f.Properties != nil:
		var keys []string
		for _, p := range members(s.t, f.Properties) {
			keys = append(keys, "`"+p.key+"`: "+s.value(s.parse(p.value)))
		}
		return "{" + strings.Join(keys, ", ") + "}"
	}
	if of, ok := f.Additional.(map[string]any); ok {
		if of["type"] == nil {
			return "map"
		}
		return fmt.Sprintf("map of %v", of["type"])
	}
	if types, ok := f.Type.([]any); ok {
		var all []string
		for _, one := range types {
			all = append(all, fmt.Sprint(one))
		}
		return strings.Join(all, " or ")
	}
	if f.Type == nil {
		return "anything"
	}
	return fmt.Sprint(f.Type)
}

func (s schemas) alternatives(of []fragment) string {
	var all []string
	for _, one := range of {
		all = append(all, s.value(one))
	}
	return strings.Join(all, " or ")
}

// named describes a definition, or a part of one: #/definitions/Request/properties/name.
func (s schemas) named(path string) string {
	name, part, inside := strings.Cut(path, "/properties/")
	raw, ok := s.byName[name]
	if !ok {
		s.t.Fatalf("no definition %s", name)
	}
	f := s.parse(raw)
	switch {
	case inside:
		for _, p := range members(s.t, f.Properties) {
			if p.key == part {
				return s.value(s.parse(p.value))
			}
		}
		s.t.Fatalf("%s has no %s", name, part)
	case f.Properties != nil:
		return fmt.Sprintf("[%s](#%s)", name, anchor(name))
	}
	return s.value(f)
}
