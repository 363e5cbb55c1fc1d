package document

import (
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/report"
)

// The kinds of documents about plugins.
const (
	PluginKind     = "Plugin"
	PluginListKind = "PluginList"
)

// A Plugin is an admission plugin: its place in the chain of one release, and what it does.
type Plugin struct {
	Name       string   `json:"name"`
	Phases     []string `json:"phases"`
	Operations []string `json:"operations"`
	Releases   []Span   `json:"releases"`  // releases that have it
	OnIn       []Span   `json:"defaultIn"` // releases in which it is on by default

	// Position is its position in the chain of the requested release, from one; 0 if the release does not have the
	// plugin. Default reports whether it is on in that release.
	Position int  `json:"position"`
	Default  bool `json:"default"`

	Does          string   `json:"does"`
	Reads         []string `json:"reads,omitempty"`
	Configuration string   `json:"configuration,omitempty"` // an example, as YAML
	Required      bool     `json:"configurationRequired,omitempty"`
	Needs         []string `json:"needs,omitempty"` // flags without which it has nothing to read
	// The webhook in a document of kind Backends that answers for its service.
	Backend string   `json:"backend,omitempty"`
	Gaps    []string `json:"knownGaps,omitempty"`
}

// A PluginDocument is one plugin in a release.
type PluginDocument struct {
	report.TypeMeta
	Release string `json:"release"`
	Plugin
}

// A Span is a range of consecutive releases.
type Span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// PluginList lists the plugins of all releases: first those of one release in the order of its chain, then the others
// by name.
type PluginList struct {
	report.TypeMeta
	Release string   `json:"release"`
	Items   []Plugin `json:"items"`
}

// SpanWords describes spans, such as "from 1.30".
func SpanWords(spans []Span) string {
	versions := kubeversion.Versions()
	newest, oldest := versions[0], versions[len(versions)-1]
	var words []string
	for _, s := range spans {
		switch {
		case s.From == oldest && s.To == newest:
			words = append(words, "all")
		case s.To == newest:
			words = append(words, "from "+s.From)
		case s.From == oldest:
			words = append(words, "to "+s.To)
		case s.From == s.To:
			words = append(words, s.From)
		default:
			words = append(words, s.From+" to "+s.To)
		}
	}
	slices.Reverse(words)
	return strings.Join(words, ", ")
}
