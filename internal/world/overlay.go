package world

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Overlaid returns a bag with the contents of over added, or put in place of what has the same name.
func Overlaid(bag, over scenario.Bag) scenario.Bag {
	services := map[string]scenario.Service{}
	maps.Copy(services, bag.Backends.Services)
	maps.Copy(services, over.Backends.Services)
	return scenario.Bag{
		Objects:  Replaced(bag.Objects, over.Objects),
		Backends: scenario.Backends{List: slices.Concat(over.Backends.List, bag.Backends.List), Services: services},
		Requests: slices.Concat(bag.Requests, over.Requests),
		Faults:   slices.Concat(over.Faults, bag.Faults),
	}
}

// Replaced returns all, with others added, or put in place of manifests with the same name.
func Replaced(all, others []scenario.Manifest) []scenario.Manifest {
	if len(others) == 0 {
		return slices.Clip(all)
	}
	key := func(m scenario.Manifest) string {
		return fmt.Sprintf("%s %s/%s", m.GroupKind(), cmp.Or(m.Namespace, "default"), m.Name)
	}
	by := map[string]bool{}
	for _, m := range others {
		by[key(m)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(m scenario.Manifest) bool { return by[key(m)] })
	return append(kept, others...)
}

// Defined leaves out custom resources whose definition is missing: charts are full of them, and nothing depends on
// them. A misspelt kind in a known group is kept, and leads to an error.
func Defined(all []scenario.Manifest, r *kubeversion.Release) (kept []scenario.Manifest, unknown []string) {
	groups := map[string]bool{}
	for _, resource := range r.Resources {
		groups[resource.Group] = true
	}
	for _, m := range all {
		if m.Kind == "CustomResourceDefinition" {
			_, group, _ := strings.Cut(m.Name, ".")
			groups[group] = true
		}
	}
	for _, m := range all {
		if name := m.Kind + "." + m.Group; groups[m.Group] || !strings.Contains(m.Group, ".") {
			kept = append(kept, m)
		} else if !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	return kept, unknown
}
