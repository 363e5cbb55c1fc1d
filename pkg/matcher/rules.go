package matcher

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/discovery"
)

const wildcard = "*"

var namespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// A target holds the properties of a request that rules are compared with.
type target struct {
	scope       admissionregistrationv1.ScopeType
	operation   string
	resource    schema.GroupVersionResource
	subresource string
	name        string
	kind        schema.GroupVersionKind
}

func targetOf(req *admission.Request) target {
	return target{
		scope:       scopeOf(req),
		operation:   string(req.Operation),
		resource:    req.Resource,
		subresource: req.Subresource,
		name:        req.Name,
		kind:        req.Kind,
	}
}

// scopeOf returns the scope that rules are compared with. Namespaces are cluster-scoped, although requests for them
// have the name of the namespace itself as their namespace (W-087, W-088).
func scopeOf(req *admission.Request) admissionregistrationv1.ScopeType {
	if req.Namespace == "" || req.Resource == namespaceResource {
		return admissionregistrationv1.ClusterScope
	}
	return admissionregistrationv1.NamespacedScope
}

// as returns the target with an equivalent resource; nothing else changes (W-104).
func (t target) as(resource schema.GroupVersionResource) target {
	t.resource = resource
	return t
}

// A rule is a compiled rule, with its resources split at the first slash.
type rule struct {
	scope      admissionregistrationv1.ScopeType // never empty
	operations []string
	groups     []string
	versions   []string
	resources  []resourcePattern
	names      []string // empty: any
}

// A resourcePattern is an entry in the resources of a rule (W-086).
type resourcePattern struct{ resource, subresource string }

func (p resourcePattern) matches(resource, subresource string) bool {
	return (p.resource == wildcard || p.resource == resource) &&
		(p.subresource == wildcard || p.subresource == subresource)
}

func (p resourcePattern) String() string {
	if p.subresource == "" {
		return p.resource
	}
	return p.resource + "/" + p.subresource
}

func compileRule(r admissionregistrationv1.NamedRuleWithOperations) rule {
	c := rule{
		scope:    admissionregistrationv1.AllScopes,
		groups:   r.APIGroups,
		versions: r.APIVersions,
		names:    r.ResourceNames,
	}
	if r.Scope != nil {
		c.scope = *r.Scope
	}
	for _, o := range r.Operations {
		c.operations = append(c.operations, string(o))
	}
	for _, entry := range r.Resources {
		resource, subresource, _ := strings.Cut(entry, "/")
		c.resources = append(c.resources, resourcePattern{resource, subresource})
	}
	return c
}

// An aspect is one of the properties that a rule compares, in the server's order:
// kubernetes/apiserver:pkg/admission/plugin/webhook/predicates/rules/rules.go.
type aspect int

const (
	scopeAspect aspect = iota
	operationAspect
	groupAspect
	versionAspect
	resourceAspect
	nameAspect
	aspects // number of aspects
)

func (r *rule) accepts(a aspect, t *target) bool {
	switch a {
	case scopeAspect:
		return r.scope == admissionregistrationv1.AllScopes || r.scope == t.scope
	case operationAspect:
		return contains(r.operations, t.operation)
	case groupAspect:
		return contains(r.groups, t.resource.Group)
	case versionAspect:
		return contains(r.versions, t.resource.Version)
	case resourceAspect:
		return slices.ContainsFunc(r.resources, func(p resourcePattern) bool {
			return p.matches(t.resource.Resource, t.subresource)
		})
	case nameAspect:
		return len(r.names) == 0 || slices.Contains(r.names, t.name)
	}
	panic("matcher: unknown aspect")
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == wildcard || v == s {
			return true
		}
	}
	return false
}

func (r *rule) matches(t *target) bool {
	for a := range aspects {
		if !r.accepts(a, t) {
			return false
		}
	}
	return true
}

// A ruleSet is a list of rules under one matchPolicy.
type ruleSet struct {
	rules      []rule
	equivalent bool
}

func compileRules(rules []admissionregistrationv1.NamedRuleWithOperations, equivalent bool) ruleSet {
	s := ruleSet{rules: make([]rule, len(rules)), equivalent: equivalent}
	for i, r := range rules {
		s.rules[i] = compileRule(r)
	}
	return s
}

// A hit is the rule that matched, and the resource that it matched.
type hit struct {
	rule     int
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind
}

// match returns the first rule that matches t or, if none does and the policy allows it, the first that matches an
// equivalent resource (W-089, W-104, W-106).
func (s ruleSet) match(t target, known *discovery.Resources) (hit, bool) {
	for i := range s.rules {
		if s.rules[i].matches(&t) {
			return hit{rule: i, resource: t.resource, kind: t.kind}, true
		}
	}
	if !s.equivalent {
		return hit{}, false
	}
	return s.matchEquivalent(t, known)
}

func (s ruleSet) matchEquivalent(t target, known *discovery.Resources) (hit, bool) {
	if len(s.rules) == 0 || known == nil {
		return hit{}, false
	}
	equivalents := known.Equivalents(t.resource, t.subresource)
	for i := range s.rules {
		for _, resource := range equivalents {
			if resource == t.resource {
				continue
			}
			if other := t.as(resource); s.rules[i].matches(&other) {
				kind, _ := known.KindFor(resource, t.subresource) // a resource without a kind is not equivalent (W-111)
				return hit{rule: i, resource: resource, kind: kind}, true
			}
		}
	}
	return hit{}, false
}

// matchesElsewhere reports whether t, which no rule matched, would match if the match policy were Equivalent.
func (s ruleSet) matchesElsewhere(t target, known *discovery.Resources) bool {
	if s.equivalent {
		return false
	}
	_, ok := s.matchEquivalent(t, known)
	return ok
}
