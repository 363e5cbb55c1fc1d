package serve

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// flagTables has the flags of each release that shows them, with their defaults: make flagz.
//
//go:embed flagz/*.txt
var flagTables embed.FS

// flagsOf returns the values of all flags of the server, as the server writes them. given has those that were given,
// once for each time.
func flagsOf(release *kubeversion.Release, given map[string][]string) map[string]string {
	table, err := flagTables.ReadFile("flagz/" + release.Version + ".txt")
	if err != nil {
		panic(err) // a test reads the tables of all releases
	}
	values := map[string]string{}
	for line := range strings.Lines(string(table)) {
		if name, usual, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			values[name] = usual
			if texts := given[name]; len(texts) > 0 {
				values[name] = flagValue(name, usual, texts)
			}
		}
	}
	return values
}

// flagValue writes what a flag was given in the form of its default: kubernetes/component-base:cli/flag.
func flagValue(name, usual string, texts []string) string {
	last := texts[len(texts)-1]
	switch {
	case strings.HasPrefix(usual, "["):
		return "[" + strings.Join(texts, ",") + "]"
	case name == "feature-gates":
		return strings.Join(words(texts, func(word string) string {
			if strings.Contains(word, ":") {
				return word
			}
			return ":" + word // of the default component
		}), ",")
	case name == "runtime-config":
		all := words(texts, func(word string) string {
			if strings.Contains(word, "=") {
				return word
			}
			return word + "="
		})
		slices.Sort(all)
		return strings.Join(all, ",")
	case usual == "true" || usual == "false":
		if on, err := strconv.ParseBool(last); err == nil {
			return strconv.FormatBool(on)
		}
	case strings.HasSuffix(usual, "s"):
		if d, err := time.ParseDuration(last); err == nil {
			return d.String()
		}
	}
	return last
}

// words splits texts at commas, and changes the form of each part.
func words(texts []string, form func(string) string) (all []string) {
	for _, text := range texts {
		for word := range strings.SplitSeq(text, ",") {
			if word = strings.TrimSpace(word); word != "" {
				all = append(all, form(word))
			}
		}
	}
	return all
}
