package manifests

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
)

// calledTwice compares all pairs of webhooks of a kind that have the same endpoint. If one has match conditions, it is
// unknown whether they exclude each other.
func calledTwice(s *lint.Subject, r *lint.Reporter) {
	for i, second := range s.Hooks {
		for _, first := range s.Hooks[:i] {
			if first.Mutating != second.Mutating || endpoint(first) != endpoint(second) || !overlap(first, second) {
				continue
			}
			f := r.At(second.Field("clientConfig"), "%s calls the same endpoint for some of the same requests", first)
			f.Related = append(f.Related, lint.Related{Source: first.Manifest.Position(first.Field("").Path), Message: "the other webhook"})
			break
		}
	}
}

// endpoint returns where a webhook's calls go.
func endpoint(h *lint.Hook) string {
	c := h.ClientConfig
	if c.URL != nil {
		return *c.URL
	}
	path := ""
	if c.Service.Path != nil {
		path = strings.TrimSuffix(*c.Service.Path, "/")
	}
	return fmt.Sprintf("%s/%s:%d%s", c.Service.Namespace, c.Service.Name, dispatch.PortOf(*c.Service), path)
}

func overlap(a, b *lint.Hook) bool {
	return len(a.MatchConditions)+len(b.MatchConditions) == 0 && meet(a.Selection(), b.Selection())
}

// meet reports whether there is a request that both select, not counting match conditions.
func meet(a, b lint.Selection) bool {
	return selectorsMeet(a, b) && slices.ContainsFunc(a.Rules, func(x admissionregistrationv1.RuleWithOperations) bool {
		return slices.ContainsFunc(b.Rules, func(y admissionregistrationv1.RuleWithOperations) bool {
			return rulesMeet(x, y, equivalent(a) && equivalent(b))
		})
	})
}

// selectorsMeet reports whether all select some object in some namespace.
func selectorsMeet(all ...lint.Selection) bool {
	var namespaces, objects []*metav1.LabelSelector
	for _, s := range all {
		namespaces, objects = append(namespaces, s.NamespaceSelector), append(objects, s.ObjectSelector)
	}
	_, inOne := compatible([]string{corev1.LabelMetadataName}, namespaces...)
	_, ofOne := compatible(nil, objects...)
	return inOne && ofOne
}

func equivalent(s lint.Selection) bool {
	return s.MatchPolicy == nil || *s.MatchPolicy == admissionregistrationv1.Equivalent
}

// many is how many webhooks of one server are too many for one request.
const many = 3

// manyOfOneServer looks at the webhooks of a kind that have the same Service, resource by resource, and reports the
// largest number that is called for one request. It is unknown whether match conditions exclude each other, so webhooks
// with match conditions do not count.
func manyOfOneServer(s *lint.Subject, r *lint.Reporter) {
	reported := map[*lint.Hook]bool{}
	for i, first := range s.Hooks {
		if first.ClientConfig.Service == nil || len(first.MatchConditions) > 0 || reported[first] {
			continue
		}
		var others []*lint.Hook
		for _, h := range s.Hooks[i+1:] {
			if h.Mutating == first.Mutating && len(h.MatchConditions) == 0 && s.Graph.Backend(h.Webhook) == s.Graph.Backend(first.Webhook) {
				others = append(others, h)
			}
		}
		what, most := busiest(s, first, others)
		if len(most) < many {
			continue
		}
		f := r.At(first.Field("clientConfig.service"), "Service %s is called %d times for requests to %s", s.Graph.Backend(first.Webhook), len(most), what)
		for _, h := range most {
			reported[h] = true
			if h != first {
				at := h.Field("")
				f.Related = append(f.Related, lint.Related{Source: at.Manifest.Position(at.Path), Message: h.String()})
			}
		}
	}
}

// busiest returns the request for which the most webhooks are called, including first.
func busiest(s *lint.Subject, first *lint.Hook, others []*lint.Hook) (what string, most []*lint.Hook) {
	for _, rule := range first.Rules {
		for _, resource := range served(s, rule) {
			for _, operation := range everyOperation {
				if !asksFor(first, resource, operation) {
					continue
				}
				together := []*lint.Hook{first}
				selections := []lint.Selection{first.Selection()}
				for _, h := range others {
					twice := slices.ContainsFunc(together, func(g *lint.Hook) bool { return endpoint(g) == endpoint(h) }) // ADM045
					if !twice && asksFor(h, resource, operation) && selectorsMeet(append(slices.Clone(selections), h.Selection())...) {
						together, selections = append(together, h), append(selections, h.Selection())
					}
				}
				if len(together) > len(most) {
					what, most = strings.ToLower(string(operation))+" "+resource.Resource, together
				}
			}
		}
	}
	return what, most
}

var everyOperation = []admissionregistrationv1.OperationType{
	admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete, admissionregistrationv1.Connect,
}

// asksFor reports whether a rule of a webhook names a resource itself, not only a subresource of it.
func asksFor(h *lint.Hook, resource discovery.Resource, operation admissionregistrationv1.OperationType) bool {
	return slices.ContainsFunc(h.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
		return has(rule.APIGroups, resource.Group) && has(rule.APIVersions, resource.Version) && inScope(rule, resource) &&
			(slices.Contains(rule.Operations, operation) || slices.Contains(rule.Operations, admissionregistrationv1.OperationAll)) &&
			(has(rule.Resources, resource.Resource) || slices.Contains(rule.Resources, "*/*") || slices.Contains(rule.Resources, resource.Resource+"/*"))
	})
}

// sameName compares the webhooks of each configuration.
func sameName(s *lint.Subject, r *lint.Reporter) {
	first := map[string]*lint.Hook{}
	for _, h := range s.Hooks {
		key := h.Kind() + "/" + h.String()
		if first[key] == nil {
			first[key] = h
			continue
		}
		f := r.At(h.Field("name"), "another webhook of the configuration has the same name")
		at := first[key].Field("name")
		f.Related = append(f.Related, lint.Related{Source: at.Manifest.Position(at.Path), Message: "the other webhook"})
	}
}

// rulesMeet reports whether there is a request that both rules match. Versions do not matter if they are equivalent.
func rulesMeet(a, b admissionregistrationv1.RuleWithOperations, anyVersion bool) bool {
	scopes := a.Scope == nil || b.Scope == nil || *a.Scope == *b.Scope ||
		*a.Scope == admissionregistrationv1.AllScopes || *b.Scope == admissionregistrationv1.AllScopes
	operations := func(r admissionregistrationv1.RuleWithOperations) (all []string) {
		for _, o := range r.Operations {
			all = append(all, string(o))
		}
		return all
	}
	resources := slices.ContainsFunc(a.Resources, func(x string) bool {
		return slices.ContainsFunc(b.Resources, func(y string) bool { return patternsMeet(x, y) })
	})
	return scopes && resources && listsMeet(operations(a), operations(b)) && listsMeet(a.APIGroups, b.APIGroups) &&
		(anyVersion || listsMeet(a.APIVersions, b.APIVersions))
}

func listsMeet(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return x == "*" || has(b, x) }) || slices.Contains(b, "*") && len(a) > 0
}

// patternsMeet compares two entries of the resources of rules, part by part.
func patternsMeet(a, b string) bool {
	ra, sa, _ := strings.Cut(a, "/")
	rb, sb, _ := strings.Cut(b, "/")
	same := func(x, y string) bool { return x == y || x == "*" || y == "*" }
	return same(ra, rb) && same(sa, sb)
}
