package space

import (
	"cmp"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
)

// A class is endpoints of one operation that have a name in common.
type class struct {
	name    string
	matches func(*Endpoint) bool
}

// classes are from the largest on. Resources of namespaces are a class of their own, since selectors see them otherwise.
var classes = []class{
	{"every resource and subresource", func(*Endpoint) bool { return true }},
	{"every resource", func(e *Endpoint) bool { return e.Subresource == "" }},
	{"every namespaced resource and subresource", func(e *Endpoint) bool { return e.Namespaced }},
	{"every cluster-scoped resource and subresource", func(e *Endpoint) bool { return !e.Namespaced }},
	{"every cluster-scoped resource and subresource but namespaces", func(e *Endpoint) bool { return !e.Namespaced && !e.isNamespace() }},
	{"every namespaced resource", func(e *Endpoint) bool { return e.Namespaced && e.Subresource == "" }},
	{"every cluster-scoped resource", func(e *Endpoint) bool { return !e.Namespaced && e.Subresource == "" }},
	{"every cluster-scoped resource but namespaces", func(e *Endpoint) bool { return !e.Namespaced && !e.isNamespace() && e.Subresource == "" }},
	{"every subresource", func(e *Endpoint) bool { return e.Subresource != "" }},
	{"every namespaced subresource", func(e *Endpoint) bool { return e.Namespaced && e.Subresource != "" }},
	{"every cluster-scoped subresource", func(e *Endpoint) bool { return !e.Namespaced && e.Subresource != "" }},
	{"every cluster-scoped subresource but those of namespaces", func(e *Endpoint) bool { return !e.Namespaced && !e.isNamespace() && e.Subresource != "" }},
}

// fewest is how many resources a class has at least, to be named instead of them.
const fewest = 6

// resources names the resources of endpoints with one operation.
func (s *Space) resources(o admissionv1.Operation, endpoints []int, of *Hook) (names []string) {
	left := slices.Clone(endpoints)
	for _, c := range classes {
		var members []int
		for i := range s.endpoints {
			if e := &s.endpoints[i]; e.Operation == o && !s.unheard(e, of) && c.matches(e) {
				members = append(members, i)
			}
		}
		if len(members) < fewest || slices.ContainsFunc(members, func(i int) bool { return !slices.Contains(left, i) }) {
			continue
		}
		names = append(names, c.name)
		left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(members, i) })
	}
	return append(names, s.versions(o, left)...)
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
