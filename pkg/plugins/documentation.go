package plugins

import (
	"maps"
	"slices"
)

// A Documentation describes a plugin. Its place in the chain, and the releases that have it, are in package
// kubeversion.
type Documentation struct {
	Name  string
	Does  string   // a sentence or two
	Reads []string // which objects of the cluster it reads, and which services it calls

	// Configuration is an example of the plugin's part of the admission configuration, as YAML; empty if it has none.
	// Required says that it does not start without one.
	Configuration string
	Required      bool

	// Needs lists flags without which the plugin has nothing to read. Backend is the name of backends that answer in
	// place of the service that it calls.
	Needs   []string
	Backend string

	Gaps []string // known differences between admsim and the server

	// make creates the plugin; nil for webhooks and policies. Its methods determine in which phases it takes part; its
	// operations are in package kubeversion.
	make func(Options) (any, error)
}

// Documented returns the documentation of the plugin with that name.
func Documented(name string) (Documentation, bool) {
	for _, table := range documentation {
		if d, ok := table[name]; ok {
			d.Name = name
			return d, true
		}
	}
	return Documentation{}, false
}

// Names returns all plugins of all releases, including webhooks and policies, in alphabetical order.
func Names() []string {
	var names []string
	for _, table := range documentation {
		names = slices.AppendSeq(names, maps.Keys(table))
	}
	slices.Sort(names)
	return names
}

// documentation has a row for each plugin: those that releases have today, and earlier ones.
var documentation = []map[string]Documentation{documentedToday, documentedBefore}
