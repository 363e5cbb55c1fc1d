package space

import (
	"cmp"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
)

// A Whole is what every resource means. The zero value means every one that the worlds serve.
type Whole struct {
	Of    *Hook                // of those that such hooks ever hear of
	Among func(*Endpoint) bool // of those that it reports; nil: of all
	Named int                  // unless there are more than so many, resources are named one by one
}

// A naming is how resources are named.
type naming struct {
	*Space
	Whole
}

// A class is endpoints of one operation that have a name in common.
type class struct {
	name    string
	all     bool // resources and subresources
	matches func(*Endpoint) bool
}

// withSubresources is the name of a class of resources and subresources, where it has to be told from the resources alone.
func withSubresources(name string) string { return name + " and subresource" }

// classes are from the largest on. Resources of namespaces are a class of their own, since selectors see them otherwise.
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

// classesOf are those of an API group.
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
	fewest        = 6 // endpoints that a class stands for at least
	fewestOfGroup = 4 // names that a class of one API group stands for at least
	mostExcepted  = 3 // names that a class is said to be without at most
	keptEach      = 6 // names that it stands for at least for each of those
	mostVersions  = 6 // of a resource that is excepted
)

// resources names the resources of endpoints with one operation: by the classes that they fill, then by classes of which
// only a few are missing. Where a class has no subresources with that operation, the long names mention them nevertheless.
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
	for excepted := 1; excepted <= mostExcepted; excepted++ {
		for _, c := range classes {
			kept, missing := n.members(c, o, left, excepted*mostVersions)
			if len(missing) == 0 || len(missing) > excepted*mostVersions || len(kept) < keptEach*excepted {
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

// members are the endpoints of a class: those among left, and those that are missing there, of which more than so many are not
// looked for.
func (n naming) members(c class, o admissionv1.Operation, left []int, mostMissing int) (kept, missing []int) {
	for i := range n.endpoints {
		e := &n.endpoints[i]
		switch {
		case e.Operation != o || !c.matches(e):
		case slices.Contains(left, i):
			kept = append(kept, i)
		case n.Among != nil && !n.Among(e) || n.unheard(e, n.Of):
		case len(missing) > mostMissing:
			return kept, missing
		default:
			missing = append(missing, i)
		}
	}
	return kept, missing
}

// groupsOf are the API groups of endpoints, apart from the core group.
func (n naming) groupsOf(endpoints []int) (groups []string) {
	for _, i := range endpoints {
		if g := n.endpoints[i].Resource.Group; g != "" && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	slices.Sort(groups)
	return groups
}

// unheard reports whether hooks of that sort never hear of an endpoint, so that nobody misses it in a class.
func (s *Space) unheard(e *Endpoint, of *Hook) bool {
	if of == nil {
		return false
	}
	for world := range s.worlds {
		if e.served[world] && !(&building{Space: s, world: world, hook: of}).exempt(e) {
			return false
		}
	}
	return true
}

// versions names resources; their version only where not all versions of them are meant.
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
