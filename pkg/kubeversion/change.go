package kubeversion

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"
)

// A change states how a release differs from its neighbour. Changing something that does not exist is a mistake in this
// package.
type change struct{ *Release }

// changed returns a release that is like r except for the differences.
func (r *Release) changed(to string, differs func(change)) *Release {
	next := r.copied()
	next.Version = to
	next.Minor = minorOf(to)
	next.fieldGates = fieldGatesOf(next.Minor)
	next.Plugins = slices.DeleteFunc(next.Plugins, func(p Plugin) bool { return p.since > next.Minor })
	differs(change{next})
	return next.serve()
}

// withoutPlugins removes plugins from the chain.
func (c change) withoutPlugins(names ...string) {
	for _, name := range names {
		i := c.pluginAt(name)
		c.Plugins = slices.Delete(c.Plugins, i, i+1)
	}
}

// pluginsBefore inserts plugins into the chain.
func (c change) pluginsBefore(name, rows string) {
	c.Plugins = slices.Insert(c.Plugins, c.pluginAt(name), plugins(rows)...)
}

// pluginsAre replaces plugins at their places in the chain.
func (c change) pluginsAre(rows string) {
	for _, p := range plugins(rows) {
		c.Plugins[c.pluginAt(p.Name)] = p
	}
}

// switchedOn makes plugins on by default.
func (c change) switchedOn(names ...string) { c.defaultsAre(true, names) }

// switchedOff makes plugins off by default.
func (c change) switchedOff(names ...string) { c.defaultsAre(false, names) }

func (c change) defaultsAre(on bool, names []string) {
	for _, name := range names {
		c.Plugins[c.pluginAt(name)].Default = on
	}
}

// pluginBehind puts a plugin behind a gate, or behind no gate if it is empty.
func (c change) pluginBehind(name, gate string) {
	if gate == "" {
		delete(c.pluginGates, c.Plugins[c.pluginAt(name)].Name)
		return
	}
	if _, ok := c.gates[gate]; !ok {
		panic(fmt.Sprintf("kubeversion: %s has no feature gate %s", c.Version, gate))
	}
	if c.pluginGates == nil {
		c.pluginGates = map[string]string{}
	}
	c.pluginGates[c.Plugins[c.pluginAt(name)].Name] = gate
}

func (c change) pluginAt(name string) int {
	i := slices.IndexFunc(c.Plugins, func(p Plugin) bool { return p.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("kubeversion: %s has no plugin %s", c.Version, name))
	}
	return i
}

// gatesAre sets gates, including gates that the neighbour does not have.
func (c change) gatesAre(gates map[string]bool) { maps.Copy(c.gates, gates) }

// withoutGates removes gates, and so everything behind them.
func (c change) withoutGates(names ...string) {
	for _, name := range names {
		if _, ok := c.gates[name]; !ok {
			panic(fmt.Sprintf("kubeversion: %s has no feature gate %s", c.Version, name))
		}
		delete(c.gates, name)
	}
}

// groupBefore inserts a group that the neighbour does not have before another one.
func (c change) groupBefore(group string, t table) {
	i := slices.IndexFunc(c.offered, func(r Resource) bool { return r.Group == group })
	if i < 0 {
		panic(fmt.Sprintf("kubeversion: %s has no group %s", c.Version, group))
	}
	c.offered = slices.Insert(c.offered, i, t.parse()...)
}

// versionBefore inserts a version that the neighbour does not have before another version of its group, if its place is
// not the one that follows from its name.
func (c change) versionBefore(groupVersion string, t table) {
	i := slices.IndexFunc(c.offered, func(r Resource) bool { return r.GroupVersion().String() == groupVersion })
	if i < 0 {
		panic(fmt.Sprintf("kubeversion: %s does not have %s", c.Version, groupVersion))
	}
	c.offered = slices.Insert(c.offered, i, t.parse()...)
}

// without removes resources of a group and version, or all of them.
func (c change) without(groupVersion string, resources ...string) {
	before := len(c.offered)
	c.offered = slices.DeleteFunc(c.offered, func(r Resource) bool {
		return r.GroupVersion().String() == groupVersion && (len(resources) == 0 || slices.Contains(resources, r.Resource))
	})
	if gone := before - len(c.offered); gone == 0 || len(resources) > 0 && gone != len(resources) {
		panic(fmt.Sprintf("kubeversion: %s does not have all of %s %s", c.Version, groupVersion, strings.Join(resources, " ")))
	}
}

// servedByDefault switches on versions that are off in the neighbour.
func (c change) servedByDefault(groupVersions ...string) {
	for i, r := range c.offered {
		if slices.Contains(groupVersions, r.GroupVersion().String()) {
			c.offered[i].off, c.offered[i].byNameOnly = false, false
		}
	}
}

// verbsAre sets the verbs of subresources, GROUP/VERSION/RESOURCE/SUBRESOURCE, that have others in the neighbour.
func (c change) verbsAre(verbs string, names ...string) {
	for _, name := range names {
		parent, sub := path.Split(name)
		i := slices.IndexFunc(c.offered, func(r Resource) bool { return r.GroupVersion().String()+"/"+r.Resource+"/" == parent })
		if i < 0 {
			panic(fmt.Sprintf("kubeversion: %s does not have %s", c.Version, name))
		}
		s, ok := c.offered[i].Subresources[sub]
		if !ok {
			panic(fmt.Sprintf("kubeversion: %s does not have %s", c.Version, name))
		}
		s.Verbs = strings.Split(verbs, ",")
		c.offered[i].Subresources = maps.Clone(c.offered[i].Subresources)
		c.offered[i].Subresources[sub] = s
	}
}

// resourcesAre replaces resources. A resource that the neighbour does not have follows the more mature versions of its
// group.
func (c change) resourcesAre(t table) {
	for _, r := range t.parse() {
		if i := slices.IndexFunc(c.offered, r.same); i >= 0 {
			c.offered[i] = r
			continue
		}
		c.offered = slices.Insert(c.offered, c.placeFor(r), r)
	}
}

func (r Resource) same(other Resource) bool {
	return r.GroupVersionResource() == other.GroupVersionResource()
}

func (c change) placeFor(r Resource) int {
	first := slices.IndexFunc(c.offered, func(o Resource) bool { return o.Group == r.Group })
	if first < 0 {
		panic(fmt.Sprintf("kubeversion: %s has no group %s to put %s in", c.Version, r.Group, r.Resource))
	}
	i := first
	for i < len(c.offered) && c.offered[i].Group == r.Group &&
		version.CompareKubeAwareVersionStrings(c.offered[i].Version, r.Version) >= 0 {
		i++
	}
	return i
}
