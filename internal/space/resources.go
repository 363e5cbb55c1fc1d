package space

import (
	"cmp"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
)

// A Whole says what "every resource" means. The zero value means every resource that the worlds serve.
type Whole struct {
	Of    *Hook                // only those that such hooks may be asked about
	Among func(*Endpoint) bool // only those for which it returns true; nil: all
	Named int                  // up to this number, resources are named one by one
}

// A naming names resources.
type naming struct {
	*Space
	Whole
}

// A class is a set of endpoints of one operation that share a name.
type class struct {
	name    string
	all     bool // resources and subresources
	matches func(*Endpoint) bool
}

// withSubresources returns the name of a class of resources and subresources, to distinguish it from the resources
// alone.
func withSubresources(name string) string { return name + " and subresource" }

// classes are ordered from the largest. Namespaced resources are a class of their own, since selectors treat them
// differently.
var classes = []class{
	{"every resource", true, func(*Endpoint) bool { return true }},
	{"every resource", false, func(e *Endpoint) bool { return e.Subresource == "" }},
	{"every namespaced resource", true, func(e *Endpoint) bool { return e.Namespaced }},
	{"every cluster-scoped resource", true, func(e *Endpoint) bool { return !e.Namespaced }},
	{"every namespaced resource", false, func(e *Endpoint) bool { return e.Namespaced && e.Subresource == "" }},
	{"every cluster-scoped resource", false, func(e *Endpoint) bool { return !e.Namespaced && e.Subresource == "" }},
	{"every subresource", false, func(e *Endpoint) bool { return e.Subresource != "" }},
	{"every namespaced subresource", false, func(e *Endpoint) bool { return e.Namespaced && e.Subresource != "" }},
	{"every cluster-scoped subresource", false, func(e *Endpoint) bool { return !e.Namespaced && e.Subresource != "" }},
}

// classesOf returns the classes of an API group.
func classesOf(group string) []class {
	in := func(matches func(*Endpoint) bool) func(*Endpoint) bool {
		return func(e *Endpoint) bool { return e.Resource.Group == group && matches(e) }
	}
	return []class{
		{"every " + group + " resource", true, in(func(*Endpoint) bool { return true })},
		{"every " + group + " resource", false, in(func(e *Endpoint) bool { return e.Subresource == "" })},
		{"every namespaced " + group + " resource", true, in(func(e *Endpoint) bool { return e.Namespaced })},
		{"every namespaced " + group + " resource", false, in(func(e *Endpoint) bool { return e.Namespaced && e.Subresource == "" })},
		{"every cluster-scoped " + group + " resource", true, in(func(e *Endpoint) bool { return !e.Namespaced })},
		{"every cluster-scoped " + group + " resource", false, in(func(e *Endpoint) bool { return !e.Namespaced && e.Subresource == "" })},
	}
}

const (
	fewest        = 6 // minimum number of endpoints for a class
	fewestOfGroup = 4 // minimum number of names for a class of one API group
	maxExcepted   = 3 // maximum number of exceptions from a class
	keptEach      = 6 // minimum number of names in the class for each exception
	maxVersions   = 6 // of an excepted resource
)

// resources names the resources of endpoints with one operation: by the classes that they fill, then by classes of
// which only a few are missing. If a class has no subresources with that operation, the long names mention them
// nevertheless.
func (n naming) resources(o admissionv1.Operation, endpoints []int) (names, long []string) {
	left := slices.Clone(endpoints)
	take := func(c class, members []int, but string) {
		name, full := c.name, c.name
		if c.all {
			full = withSubresources(name)
			if slices.ContainsFunc(members, func(i int) bool { return n.endpoints[i].Subresource != "" }) {
				name = full
			}
		}
		names, long = append(names, name+but), append(long, full+but)
		left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(members, i) })
	}
	if n.Named > 0 {
		if one := n.versions(o, left); len(one) <= n.Named {
			return one, one
		}
	}
	for _, c := range classes {
		if kept, missing := n.members(c, o, left, 0); len(missing) == 0 && len(kept) >= fewest {
			take(c, kept, "")
		}
	}
	for excepted := 1; excepted <= maxExcepted; excepted++ {
		for _, c := range classes {
			kept, missing := n.members(c, o, left, excepted*maxVersions)
			if len(missing) == 0 || len(missing) > excepted*maxVersions || len(kept) < keptEach*excepted {
				continue
			}
			if but := n.versions(o, missing); len(but) == excepted && len(n.versions(o, kept)) >= keptEach*excepted {
				take(c, kept, " but "+list(but, "and"))
			}
		}
	}
	for _, g := range n.groupsOf(left) {
		for _, c := range classesOf(g) {
			if kept, missing := n.members(c, o, left, 0); len(missing) == 0 && len(n.versions(o, kept)) >= fewestOfGroup {
				take(c, kept, "")
			}
		}
	}
	rest := n.versions(o, left)
	return append(names, rest...), append(long, rest...)
}

// members returns the endpoints of a class that are in left, and those that are not. It stops when more than maxMissing
// are not.
func (n naming) members(c class, o admissionv1.Operation, left []int, maxMissing int) (kept, missing []int) {
	for i := range n.endpoints {
		e := &n.endpoints[i]
		switch {
		case e.Operation != o || !c.matches(e):
		case slices.Contains(left, i):
			kept = append(kept, i)
		case n.Among != nil && !n.Among(e) || n.neverAsked(e, n.Of):
		case len(missing) > maxMissing:
			return kept, missing
		default:
			missing = append(missing, i)
		}
	}
	return kept, missing
}

// groupsOf returns the API groups of endpoints, except for the core group.
func (n naming) groupsOf(endpoints []int) (groups []string) {
	for _, i := range endpoints {
		if g := n.endpoints[i].Resource.Group; g != "" && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	slices.Sort(groups)
	return groups
}

// neverAsked reports whether hooks like of are never asked about an endpoint, so that a class need not include it.
func (s *Space) neverAsked(e *Endpoint, of *Hook) bool {
	if of == nil {
		return false
	}
	for world := range s.worlds {
		if e.served[world] && !(&regionBuilder{Space: s, world: world, hook: of}).exempt(e) {
			return false
		}
	}
	return true
}

// versions names resources, with their version only if not all of their versions are meant.
func (s *Space) versions(o admissionv1.Operation, endpoints []int) (names []string) {
	type resource struct{ group, name, subresource string }
	of := func(e *Endpoint) resource { return resource{e.Resource.Group, e.Resource.Resource, e.Subresource} }
	served := map[resource]int{}
	for i := range s.endpoints {
		if e := &s.endpoints[i]; e.Operation == o {
			served[of(e)]++
		}
	}
	meant := map[resource][]string{}
	var order []resource
	for _, i := range endpoints {
		e := &s.endpoints[i]
		if meant[of(e)] == nil {
			order = append(order, of(e))
		}
		meant[of(e)] = append(meant[of(e)], e.Resource.Version)
	}
	slices.SortStableFunc(order, func(a, b resource) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.name, b.name), cmp.Compare(a.subresource, b.subresource))
	})
	for _, r := range order {
		versions := []string{""}
		if len(meant[r]) < served[r] {
			versions = meant[r]
		}
		for _, version := range versions {
			name := r.name
			for _, more := range []string{version, r.group} {
				if more != "" {
					name += "." + more
				}
			}
			if r.subresource != "" {
				name += "/" + r.subresource
			}
			names = append(names, name)
		}
	}
	return names
}
