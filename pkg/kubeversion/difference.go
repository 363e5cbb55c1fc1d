package kubeversion

import (
	"maps"
	"slices"
)

// A Difference is what changed from one release to another. Lists are in the order of the release, or sorted if there
// is no such order.
type Difference struct {
	Plugins  Changes // added to the chain, or removed from it
	Defaults Changes // plugins of both that are now on, or off, by default
	Moved    []string
	Served   Changes // GROUP/VERSION/RESOURCE, served by default
	Features Changes
	Gates    Changes // on by default now, or off
}

// Changes lists the names that were added, and those that were removed.
type Changes struct {
	Added   []string
	Removed []string
}

// Since returns how r differs from an earlier release.
func (r *Release) Since(before *Release) Difference {
	return Difference{
		Plugins:  changes(before.pluginNames(), r.pluginNames()),
		Defaults: r.defaultsSince(before),
		Moved:    r.movedSince(before),
		Served:   changes(before.served(), r.served()),
		Features: changes(before.has(), r.has()),
		Gates:    Changes{without(r.gatesOn(), before.gatesOn()), r.switchedOff(before)},
	}
}

// switchedOff returns the gates that were on in before and are off now. If r does not have a gate any more, its feature
// is permanent.
func (r *Release) switchedOff(before *Release) []string {
	var off []string
	for _, gate := range before.gatesOn() {
		if on, ok := r.gates[gate]; ok && !on {
			off = append(off, gate)
		}
	}
	return off
}

func changes(before, now []string) Changes {
	return Changes{Added: without(now, before), Removed: without(before, now)}
}

func without(names, others []string) []string {
	var left []string
	for _, name := range names {
		if !slices.Contains(others, name) {
			left = append(left, name)
		}
	}
	return left
}

func (r *Release) defaultsSince(before *Release) Changes {
	var c Changes
	for _, p := range r.Plugins {
		switch old, ok := before.Plugin(p.Name); {
		case !ok || old.Default == p.Default:
		case p.Default:
			c.Added = append(c.Added, p.Name)
		default:
			c.Removed = append(c.Removed, p.Name)
		}
	}
	return c
}

// movedSince returns the smallest list of plugins that changed their place among the plugins of both releases.
func (r *Release) movedSince(before *Release) []string {
	old := without(before.pluginNames(), without(before.pluginNames(), r.pluginNames()))
	now := without(r.pluginNames(), without(r.pluginNames(), before.pluginNames()))
	var moved []string
	for i := 0; i < len(now); {
		if now[i] == old[i] {
			i++
			continue
		}
		// Whichever of the two is farther from its old place is the one that moved.
		name := now[i]
		if slices.Index(now, old[i])-i > slices.Index(old, now[i])-i {
			name = old[i]
		}
		moved = append(moved, name)
		is := func(n string) bool { return n == name }
		now, old = slices.DeleteFunc(now, is), slices.DeleteFunc(old, is)
	}
	return moved
}

func (r *Release) served() []string {
	var names []string
	for _, resource := range r.Resources {
		names = append(names, resource.GroupVersion().String()+"/"+resource.Resource)
	}
	return names
}

func (r *Release) has() []string {
	var names []string
	for _, f := range named {
		if r.Has(f) {
			names = append(names, f.name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *Release) gatesOn() []string {
	var names []string
	for _, gate := range slices.Sorted(maps.Keys(r.gates)) {
		if r.gates[gate] {
			names = append(names, gate)
		}
	}
	return names
}
