// Package reference describes admission plugins and releases of Kubernetes, in the form that is shown.
//
// Start with [Plugins], [Versions] and [Between].
package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
)

// Plugins lists all plugins for a release.
func Plugins(release *kubeversion.Release) document.PluginList {
	all := document.PluginList{TypeMeta: document.TypeMeta(document.PluginListKind), Release: release.Version}
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

// Plugin describes one plugin for a release.
func Plugin(name string, release *kubeversion.Release) (document.PluginDocument, error) {
	l := Plugins(release)
	i := slices.IndexFunc(l.Items, func(p document.Plugin) bool { return p.Name == name })
	if i < 0 {
		unknown := didyoumean.Unknown(fmt.Sprintf("unknown admission plugin %q", name), name, plugins.Names())
		unknown.Else = "admsim plugins lists them"
		return document.PluginDocument{}, unknown
	}
	return document.PluginDocument{TypeMeta: document.TypeMeta(document.PluginKind), Release: l.Release, Plugin: l.Items[i]}, nil
}

func newPlugin(name string, release *kubeversion.Release) document.Plugin {
	p := document.Plugin{Name: name, Phases: []string{}, Operations: []string{}, Releases: []document.Span{}, OnIn: []document.Span{}}
	if d, ok := plugins.Documented(name); ok {
		p.Does, p.Reads, p.Needs, p.Backend = d.Does, d.Reads, d.Needs, d.Backend
		p.Configuration, p.Required, p.Gaps = d.Configuration, d.Required, d.Gaps
	}
	known, has := release.Plugin(name)
	if has {
		p.Position = 1 + slices.IndexFunc(release.Plugins, func(o kubeversion.Plugin) bool { return o.Name == name })
		p.Default = known.Default
	}
	for _, version := range kubeversion.Versions() { // newest first
		other, err := kubeversion.Parse(version)
		if err != nil {
			continue // a version that lists it also knows it
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

// extended extends the last span to the next older version, or ends it. A span that has ended is followed by an empty
// one.
func extended(spans []document.Span, version string, has bool) []document.Span {
	open := len(spans) > 0 && spans[len(spans)-1] != document.Span{}
	switch {
	case has && open:
		spans[len(spans)-1].From = version
	case has:
		spans = append(closed(spans), document.Span{From: version, To: version})
	case open:
		spans = append(spans, document.Span{})
	}
	return spans
}

// closed returns spans without an empty span at the end.
func closed(spans []document.Span) []document.Span {
	if n := len(spans); n > 0 && spans[n-1] == (document.Span{}) {
		return spans[:n-1]
	}
	return spans
}
