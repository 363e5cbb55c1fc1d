package matcher

import (
	"fmt"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// explain explains why no rule of s matches t. It names the first aspect that no rule accepts, in the order in which
// the server compares them. If each aspect is accepted by some rule, it describes the rule that comes closest.
func (s ruleSet) explain(t target) string {
	if len(s.rules) == 0 {
		return "there are none"
	}
	for a := range aspects {
		if s.lacks(a, &t) {
			return explainAspect(a, &t, s.rules)
		}
	}
	i := s.closest(&t)
	closest := s.rules[i : i+1]
	for a := range aspects {
		if !closest[0].accepts(a, &t) {
			return fmt.Sprintf("rule %d: %s", i, explainAspect(a, &t, closest))
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

// closest returns the index of the rule that accepts the most aspects of t.
func (s ruleSet) closest(t *target) (closest int) {
	most := -1
	for i := range s.rules {
		accepted := 0
		for a := range aspects {
			if s.rules[i].accepts(a, t) {
				accepted++
			}
		}
		if accepted > most {
			closest, most = i, accepted
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
		return fmt.Sprintf("resource %s not in %s%s", resourcePattern{t.resource.Resource, t.subresource}, either(a, rules), misnamed(t, rules))
	case nameAspect:
		return fmt.Sprintf("name %q not in %s", t.name, either(a, rules))
	}
	panic("matcher: unknown aspect")
}

// misnamed returns a hint if rules name the resource of t by its kind or in the wrong case, which the server takes for
// the name of another resource.
func misnamed(t *target, rules []rule) string {
	for i := range rules {
		for _, p := range rules[i].resources {
			if strings.EqualFold(p.resource, t.kind.Kind) || p.resource != t.resource.Resource && strings.EqualFold(p.resource, t.resource.Resource) {
				return "; a rule has to say " + t.resource.Resource
			}
		}
	}
	return ""
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
