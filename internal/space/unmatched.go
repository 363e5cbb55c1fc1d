package space

import (
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/pkg/matcher"
)

// Unmatched returns why hooks like h are asked about no request because of a rule, whatever their selectors and
// conditions are. It returns "" if they are asked about one, or if the world serves nothing that the rule names.
func (s *Space) Unmatched(world int, h *Hook, rule admissionregistrationv1.NamedRuleWithOperations) string {
	of := *h
	of.Conditions = nil
	b := &regionBuilder{Space: s, world: world, hook: &of, matching: matcher.World{State: s.worlds[world].State, Resources: s.worlds[world].Resources}}
	matching := func(of []*Endpoint, rule admissionregistrationv1.NamedRuleWithOperations) (all []*Endpoint) {
		c := compile(matcher.Criteria{Rules: []ruleWithNames{rule}, MatchPolicy: h.Criteria[0].MatchPolicy})
		for _, e := range of {
			if c.rules.Match(e.request("any"), b.matching).Applies {
				all = append(all, e)
			}
		}
		return all
	}
	rule.ResourceNames = nil
	anyOperation := rule
	anyOperation.Operations = []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll}
	anyScope := anyOperation
	anyScope.Scope = nil
	served := matching(s.servedBy(world), anyScope)
	inScope := matching(served, anyOperation)
	matched := matching(inScope, rule)
	switch {
	case len(served) == 0:
		return ""
	case len(inScope) == 0 && served[0].Namespaced:
		return fmt.Sprintf("scope %s excludes %s, which are in namespaces", *rule.Scope, namesOf(served, rule))
	case len(inScope) == 0:
		return fmt.Sprintf("scope %s excludes %s, which are in no namespace", *rule.Scope, namesOf(served, rule))
	case len(matched) == 0:
		return fmt.Sprintf("there is no %s of %s, only %s", list(operationNames(rule.Operations), "or"), namesOf(inScope, rule), list(operationsOf(inScope), "and"))
	case slices.ContainsFunc(matched, func(e *Endpoint) bool { return !b.exempt(e) }):
		return ""
	case h.Policy:
		return fmt.Sprintf("such policies are never asked about %s of %s", list(operationsOf(matched), "or"), namesOf(matched, rule))
	}
	return "webhooks are never called for " + namesOf(matched, rule)
}

// ParamsDecide reports whether a hook is asked about no request only because params of its binding do not exist.
func (s *Space) ParamsDecide(world int, h *Hook) bool {
	if h.ParamKind == nil {
		return false
	}
	without := *h
	without.ParamKind, without.Conditions = nil, nil
	with := without
	with.ParamKind = h.ParamKind
	asked := func(h *Hook) bool {
		b := s.builder(world, h)
		return slices.ContainsFunc(s.servedBy(world), func(e *Endpoint) bool { _, asked := b.concerns(e); return asked })
	}
	return !asked(&with) && asked(&without)
}

// NeverMet returns the condition because of which a hook is asked about no request, although its rules and selectors
// match some. Without it, ok is false.
func (s *Space) NeverMet(world int, h *Hook) (condition int, ok bool) {
	if len(h.Conditions) == 0 {
		return 0, false
	}
	without := *h
	without.Conditions = nil
	b, met := s.builder(world, &without), false
	var matched []*Endpoint // with requests that the rules and selectors match, or that fail there
	for _, e := range s.servedBy(world) {
		if concerned, asked := b.concerns(e); concerned {
			matched = append(matched, e)
			met = met || asked
		}
	}
	if !met {
		return 0, false
	}
	for i := range h.Conditions {
		alone := *h
		alone.Conditions = h.Conditions[i : i+1]
		b := s.builder(world, &alone)
		if !slices.ContainsFunc(matched, func(e *Endpoint) bool { concerned, _ := b.concerns(e); return concerned }) {
			return i, true
		}
	}
	return 0, false
}

// Concerns reports whether a hook is asked about any request, or some fail before it is asked.
func (s *Space) Concerns(world int, h *Hook) bool {
	b := s.builder(world, h)
	return slices.ContainsFunc(s.servedBy(world), func(e *Endpoint) bool { concerned, _ := b.concerns(e); return concerned })
}

// concerns reports whether the hook is asked about any request of an endpoint, or some fail before it is asked.
func (b *regionBuilder) concerns(e *Endpoint) (concerned, asked bool) {
	of, refused, _, _ := b.endpoint(e)
	asked = of != diagram.None
	return asked || refused != diagram.None, asked
}

// servedBy returns the endpoints that a world serves.
func (s *Space) servedBy(world int) (all []*Endpoint) {
	for i := range s.endpoints {
		if e := &s.endpoints[i]; e.served[world] {
			all = append(all, e)
		}
	}
	return all
}

// namesOf names the resources of endpoints as the rule does, or with their group if it has patterns for them.
func namesOf(endpoints []*Endpoint, rule ruleWithNames) string {
	var names []string
	for _, e := range endpoints {
		name, group := e.Resource.Resource, e.Resource.GroupResource().String()
		if e.Subresource != "" {
			name, group = name+"/"+e.Subresource, group+"/"+e.Subresource
		}
		if !slices.Contains(rule.Resources, name) {
			name = group
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return list(names, "and")
}

func operationsOf(endpoints []*Endpoint) (names []string) {
	for _, o := range []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete, admissionv1.Connect} {
		if slices.ContainsFunc(endpoints, func(e *Endpoint) bool { return e.Operation == o }) {
			names = append(names, string(o))
		}
	}
	return names
}

func operationNames(operations []admissionregistrationv1.OperationType) (names []string) {
	for _, o := range operations {
		names = append(names, string(o))
	}
	return names
}
