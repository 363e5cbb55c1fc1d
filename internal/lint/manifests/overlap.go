package manifests

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/dispatch"
)

// calledTwice compares every two webhooks of a kind that are answered by the same endpoint.
// Where one has match conditions, it is not known whether they exclude each other.
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

// endpoint is where a webhook's calls go to.
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
	if len(a.MatchConditions)+len(b.MatchConditions) > 0 {
		return false
	}
	if _, ok := compatible([]string{corev1.LabelMetadataName}, a.NamespaceSelector, b.NamespaceSelector); !ok {
		return false
	}
	if _, ok := compatible(nil, a.ObjectSelector, b.ObjectSelector); !ok {
		return false
	}
	return slices.ContainsFunc(a.Rules, func(x admissionregistrationv1.RuleWithOperations) bool {
		return slices.ContainsFunc(b.Rules, func(y admissionregistrationv1.RuleWithOperations) bool {
			return rulesMeet(x, y, equivalent(a) && equivalent(b))
		})
	})
}

func equivalent(h *lint.Hook) bool {
	return h.MatchPolicy == nil || *h.MatchPolicy == admissionregistrationv1.Equivalent
}

// rulesMeet reports whether a request exists that both rules match. Versions do not matter
// where they are equivalent.
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
