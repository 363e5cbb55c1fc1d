package matcher

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/discovery"
)

// explain explains why no rule of s matches t. It names the first aspect that no rule accepts, in the order in which
// the server compares them. If each aspect is accepted by some rule, it describes the rule that comes closest. Rules that
// name a resource which known does not have get a hint.
func (s ruleSet) explain(t target, known *discovery.Resources) string {
	if len(s.rules) == 0 {
		return "there are none"
	}
	for a := range aspects {
		if s.lacks(a, &t) {
			return explainAspect(a, &t, s.rules) + misnamed(a, &t, s.rules, known)
		}
	}
	i := s.closest(&t)
	closest := s.rules[i : i+1]
	for a := range aspects {
		if !closest[0].accepts(a, &t) {
			return fmt.Sprintf("rule %d: %s", i, explainAspect(a, &t, closest)+misnamed(a, &t, closest, known))
		}
	}
	return fmt.Sprintf("rule %d matches", i)
}

// lacks reports whether no rule accepts that aspect of t.
func (s ruleSet) lacks(a aspect, t *target) bool {
	for i := range s.rules {
		if s.rules[i].accepts(a, t) {
			return false
		}
	}
	return true
}

// closest returns the index of the rule that accepts the most aspects of t. Of several such rules, the one is closest
// that the server compares for longest: another version of the same group is closer than another group.
func (s ruleSet) closest(t *target) (closest int) {
	most, longest := -1, -1
	for i := range s.rules {
		accepted, first := 0, int(aspects)
		for a := range aspects {
			if s.rules[i].accepts(a, t) {
				accepted++
			} else {
				first = min(first, int(a))
			}
		}
		if accepted > most || accepted == most && first > longest {
			closest, most, longest = i, accepted, first
		}
	}
	return closest
}

// explainAspect says what t has in one aspect, and what the rules, none of which accepts it, have instead.
func explainAspect(a aspect, t *target, rules []rule) string {
	switch a {
	case scopeAspect:
		is := "namespaced"
		if t.scope == admissionregistrationv1.ClusterScope {
			is = "cluster-scoped"
		}
		return fmt.Sprintf("scope %s but the request is %s", either(a, rules), is)
	case operationAspect:
		return fmt.Sprintf("operation %s not in %s", t.operation, either(a, rules))
	case groupAspect:
		return fmt.Sprintf("group %s not in %s", groupName(t.resource.Group), either(a, rules))
	case versionAspect:
		return fmt.Sprintf("version %s not in %s", t.resource.Version, either(a, rules))
	case resourceAspect:
		return fmt.Sprintf("resource %s not in %s", resourcePattern{t.resource.Resource, t.subresource}, either(a, rules))
	case nameAspect:
		return fmt.Sprintf("name %q not in %s", t.name, either(a, rules))
	}
	panic("matcher: unknown aspect")
}

// misnamed returns a hint if rules mean the resource of t, but name it in a way in which nothing is served. The server
// takes that for another resource. It accepts any name: a CustomResourceDefinition may define it later.
func misnamed(a aspect, t *target, rules []rule, known *discovery.Resources) string {
	if known == nil {
		return ""
	}
	for i := range rules {
		r := &rules[i]
		unserved := func(in string) string {
			return fmt.Sprintf("; nothing is served as %s in %s %s", t.resource.Resource, in, either(a, rules[i:i+1]))
		}
		switch a {
		case groupAspect:
			if r.namesResource(t) && r.groupsAreKnown(known) && !r.anyServed(t.resource.Resource, nil, known) {
				return unserved("group")
			}
		case versionAspect:
			if r.accepts(groupAspect, t) && r.namesResource(t) && !r.anyServed(t.resource.Resource, r.versions, known) {
				return unserved("version")
			}
		case resourceAspect:
			if !r.accepts(groupAspect, t) {
				continue
			}
			for _, p := range r.resources {
				if means(p.resource, t, known) && !r.anyServed(p.resource, nil, known) {
					return "; a rule has to say " + t.resource.Resource
				}
			}
		}
	}
	return ""
}

// namesResource reports whether the rule names the resource of t, not just everything.
func (r *rule) namesResource(t *target) bool {
	return slices.ContainsFunc(r.resources, func(p resourcePattern) bool { return p.resource == t.resource.Resource })
}

// groupsAreKnown reports whether the resources of all groups of the rule are known. The name of a custom group has a
// dot.
func (r *rule) groupsAreKnown(known *discovery.Resources) bool {
	all := known.All()
	return !slices.ContainsFunc(r.groups, func(group string) bool {
		return strings.Contains(group, ".") && !slices.ContainsFunc(all, func(one discovery.Resource) bool { return one.Group == group })
	})
}

// anyServed reports whether a resource with this name is served in one of the rule's groups and of the versions. Nil: in
// any version.
func (r *rule) anyServed(resource string, versions []string, known *discovery.Resources) bool {
	return slices.ContainsFunc(known.All(), func(one discovery.Resource) bool {
		return one.Served && one.Resource == resource && contains(r.groups, one.Group) && (versions == nil || contains(versions, one.Version))
	})
}

// means reports whether a word in a rule is another word for the resource of t: its kind, singular or a short name, or a
// typing error.
func means(word string, t *target, known *discovery.Resources) bool {
	if word == t.resource.Resource {
		return false
	}
	words := []string{t.kind.Kind, t.resource.Resource}
	if served, ok := known.Resource(t.resource); ok {
		words = append(append(words, served.Singular), served.ShortNames...)
	}
	return slices.ContainsFunc(words, func(one string) bool { return strings.EqualFold(one, word) }) ||
		didyoumean.Nearest(word, []string{t.resource.Resource}) != ""
}

// either lists what the rules select in one aspect, without duplicates.
func either(a aspect, rules []rule) string {
	var list []string
	seen := map[string]bool{}
	for i := range rules {
		for _, s := range rules[i].asks(a) {
			if !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	if len(list) == 0 {
		return "an empty list"
	}
	return strings.Join(list, ", ")
}

// groupName returns an API group as it is written in rules.
func groupName(group string) string {
	if group == "" {
		return `"" (core)`
	}
	return strconv.Quote(group)
}

func (r *rule) asks(a aspect) (list []string) {
	switch a {
	case scopeAspect:
		return []string{string(r.scope)}
	case operationAspect:
		return r.operations
	case groupAspect:
		for _, g := range r.groups {
			list = append(list, groupName(g))
		}
	case versionAspect:
		return r.versions
	case resourceAspect:
		for _, p := range r.resources {
			list = append(list, p.String())
		}
	case nameAspect:
		for _, n := range r.names {
			list = append(list, strconv.Quote(n))
		}
	}
	return list
}
