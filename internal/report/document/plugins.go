package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
	"github.com/admsim/admsim/pkg/report"
)

// What is said of plugins has one of these kinds.
const (
	PluginKind     = "Plugin"
	PluginListKind = "PluginList"
)

// A Plugin is an admission plugin: its place in the chain of one release, and what it does.
type Plugin struct {
	Name       string   `json:"name"`
	Phases     []string `json:"phases"`
	Operations []string `json:"operations"`
	Releases   []Span   `json:"releases"`  // those that have it
	OnIn       []Span   `json:"defaultIn"` // those in which it is on by default

	// Position is its place in the chain of the release asked for, from one; 0 where that
	// does not have the plugin. Default reports whether it is on there.
	Position int  `json:"position"`
	Default  bool `json:"default"`

	Does          string   `json:"does"`
	Reads         []string `json:"reads,omitempty"`
	Configuration string   `json:"configuration,omitempty"` // an example, as YAML
	Required      bool     `json:"configurationRequired,omitempty"`
	Gaps          []string `json:"knownGaps,omitempty"`
}

// A PluginDocument is one plugin, as a release has it.
type PluginDocument struct {
	report.TypeMeta
	Release string `json:"release"`
	Plugin
}

// A Span is releases that follow each other.
type Span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// PluginList is the plugins of all releases, first those of one of them in the order of its
// chain, then the others by name.
type PluginList struct {
	report.TypeMeta
	Release string   `json:"release"`
	Items   []Plugin `json:"items"`
}

// NewPlugins lists all plugins, as one release has them.
func NewPlugins(release *kubeversion.Release) PluginList {
	all := PluginList{TypeMeta: typeMeta(PluginListKind), Release: release.Version}
	for _, p := range release.Plugins {
		all.Items = append(all.Items, newPlugin(p.Name, release))
	}
	for _, name := range plugins.Names() {
		if _, ok := release.Plugin(name); !ok {
			all.Items = append(all.Items, newPlugin(name, release))
		}
	}
	return all
}

// One is what is known of one plugin.
func (l PluginList) One(name string) (PluginDocument, error) {
	i := slices.IndexFunc(l.Items, func(p Plugin) bool { return p.Name == name })
	if i < 0 {
		unknown := didyoumean.Unknown(fmt.Sprintf("unknown admission plugin %q", name), name, plugins.Names())
		unknown.Else = "admsim plugins lists them"
		return PluginDocument{}, unknown
	}
	return PluginDocument{typeMeta(PluginKind), l.Release, l.Items[i]}, nil
}

func newPlugin(name string, release *kubeversion.Release) Plugin {
	p := Plugin{Name: name, Phases: []string{}, Operations: []string{}, Releases: []Span{}, OnIn: []Span{}}
	if d, ok := plugins.Documented(name); ok {
		p.Does, p.Reads, p.Configuration, p.Required, p.Gaps = d.Does, d.Reads, d.Configuration, d.Required, d.Gaps
	}
	known, has := release.Plugin(name)
	if has {
		p.Position = 1 + slices.IndexFunc(release.Plugins, func(o kubeversion.Plugin) bool { return o.Name == name })
		p.Default = known.Default
	}
	for _, version := range kubeversion.Versions() { // newest first
		other, err := kubeversion.Parse(version)
		if err != nil {
			continue // one that it lists it also knows
		}
		in, ok := other.Plugin(name)
		if ok && !has {
			known, has = in, true
		}
		p.Releases = extended(p.Releases, version, ok)
		p.OnIn = extended(p.OnIn, version, ok && in.Default)
	}
	p.Releases, p.OnIn = closed(p.Releases), closed(p.OnIn)
	if known.Mutates {
		p.Phases = append(p.Phases, "mutating")
	}
	if known.Validates {
		p.Phases = append(p.Phases, "validating")
	}
	for _, o := range known.Operations {
		p.Operations = append(p.Operations, strings.ToLower(string(o)))
	}
	return p
}

// extended continues spans by the next older version, or ends the last of them. One that has
// ended is followed by an empty one.
func extended(spans []Span, version string, has bool) []Span {
	open := len(spans) > 0 && spans[len(spans)-1] != Span{}
	switch {
	case has && open:
		spans[len(spans)-1].From = version
	case has:
		spans = append(closed(spans), Span{version, version})
	case open:
		spans = append(spans, Span{})
	}
	return spans
}

// closed is spans without an empty one at the end.
func closed(spans []Span) []Span {
	if n := len(spans); n > 0 && spans[n-1] == (Span{}) {
		return spans[:n-1]
	}
	return spans
}

// SpanWords are spans as people say them, such as "from 1.30".
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
