package text

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/admsim/admsim/internal/report/document"
)

func pluginTable(l document.PluginList, w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "PLUGIN\tPHASES\tOPERATIONS\tRELEASES\tIN %s\n", l.Release)
	for _, p := range l.Items {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.Name, strings.Join(p.Phases, " "), strings.Join(p.Operations, " "), document.SpanWords(p.Releases), pluginState(p))
	}
	return t.Flush()
}

// pluginState returns the state of the plugin in the requested release.
func pluginState(p document.Plugin) string {
	switch {
	case p.Position == 0:
		return "-"
	case p.Default:
		return "on"
	}
	return "off"
}

func pluginText(p document.Plugin, w io.Writer, release string) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s\n\n%s\n\n", p.Name, wrapped(p.Does, "  "))
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(b, "  %-12s%s\n", key, value)
		}
	}
	line("phases", strings.Join(p.Phases, ", "))
	line("operations", strings.Join(p.Operations, ", "))
	line("releases", document.SpanWords(p.Releases))
	line("on in", document.SpanWords(p.OnIn))
	line("in "+release, map[string]string{"-": "not there", "on": "on by default", "off": "off by default"}[pluginState(p)])
	line("reads", strings.Join(p.Reads, "; "))
	line("needs", strings.Join(p.Needs, "; "))
	if p.Backend != "" {
		line("backend", fmt.Sprintf("{webhook: %s}, in a document of kind Backends", p.Backend))
	}
	for _, gap := range p.Gaps {
		line("known gap", gap)
	}
	if p.Configuration != "" {
		need := "may have"
		if p.Required {
			need = "has to have"
		}
		fmt.Fprintf(b, "\n  It %s an entry in the file of --admission-control-config-file. Its configuration, for example:\n\n", need)
		for line := range strings.Lines(p.Configuration) {
			b.WriteString("    " + line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrapped returns text in lines of about eighty characters, each with the indent.
func wrapped(text, indent string) string {
	const width = 80
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		switch {
		case at == 0:
			b.WriteString(indent)
			at = len(indent)
		case at+1+len(word) > width:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}

func WriteReference(w io.Writer, shown document.Reference) error {
	switch shown := shown.(type) {
	case document.PluginList:
		return pluginTable(shown, w)
	case document.PluginDocument:
		return pluginText(shown.Plugin, w, shown.Release)
	case document.Build:
		_, err := fmt.Fprintf(w, "admsim %s (%s, %s)\nKubernetes %s to %s, see admsim versions\n", shown.Version, shown.Go, shown.Platform, shown.Kubernetes.Oldest, shown.Kubernetes.Newest)
		return err
	case document.VersionDocument:
		return versionText(shown.Version, shown.Version.Name+", since "+shown.Since, w)
	case document.VersionList:
		for i, v := range shown.Items {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := versionText(v, v.Name, w); err != nil {
				return err
			}
		}
	}
	return nil
}

func versionText(v document.Version, title string, w io.Writer) error {
	b := &strings.Builder{}
	if v.Since == "" {
		title = v.Name + "  the oldest that admsim knows"
	}
	b.WriteString(title + "\n")
	for _, part := range []struct {
		what           string
		came           document.Came
		added, removed string
	}{
		{"plugins", v.Plugins, "+", "-"},
		{"plugins on", v.Defaults, "+", "-"},
		{"plugins moved", document.Came{Added: v.Moved}, "~", ""},
		{"features", v.Features, "+", "-"},
		{"feature gates on", v.Gates, "+", "-"},
		{"resources", v.Served, "+", "-"},
	} {
		heading := part.what
		for _, side := range []struct {
			sign  string
			names []string
		}{{part.added, part.came.Added}, {part.removed, part.came.Removed}} {
			for _, name := range side.names {
				fmt.Fprintf(b, "  %-18s%s %s\n", heading, side.sign, name)
				heading = ""
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
