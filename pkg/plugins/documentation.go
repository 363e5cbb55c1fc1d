package plugins

import (
	"maps"
	"slices"
)

// A Documentation describes a plugin. Package kubeversion knows its place in the chain and the releases that
// have it.
type Documentation struct {
	Name  string
	Does  string   // a sentence or two
	Reads []string // which objects of the cluster it reads, and whom else it asks

	// Configuration is an example of its own part of the admission configuration, as YAML; empty if it has none.
	// Required says that it does not start without one.
	Configuration string
	Required      bool

	// Needs are flags without which it has nothing to read, and Backend is the name by which backends answer in the
	// place of the service that it asks.
	Needs   []string
	Backend string

	Gaps []string // where admsim is known to differ from the server

	// make makes the plugin; nil for webhooks and policies. Which phases it has a part in follows from its
	// methods, which operations it is asked about is known to package kubeversion.
	make func(Options) (any, error)
}

// Documented returns the documentation of the plugin of that name.
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

// A row for each plugin: those that releases have today, and those that they had.
var documentation = []map[string]Documentation{documentedToday, documentedBefore}
