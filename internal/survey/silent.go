package survey

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/space"
)

// silent returns why a hook is not asked about any request, if its rules show that; otherwise it returns "".
func silent(s *space.Space, h *hook) string {
	rules := h.Criteria[0].Rules
	if len(rules) == 0 {
		return "it has no rules"
	}
	var missing []string
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				name, subresource, _ := strings.Cut(resource, "/")
				r := Resource{GroupResource: schema.GroupResource{Group: group, Resource: name}}
				if s.Serves(r.GroupResource, subresource) {
					return "" // so there is another reason
				}
				if !slices.Contains(missing, r.String()) {
					missing = append(missing, r.String())
				}
			}
		}
	}
	return "no " + words.Few(missing) + " is served: is a CustomResourceDefinition missing?"
}

// unmatched returns why a hook is not asked although what its rules name is served: because of its rules, its params or
// a condition; otherwise it returns "".
func unmatched(s *space.Space, h *hook) string {
	if s.ParamsDecide(0, &h.Hook) {
		return "no request finds params: " + s.NoParams(0, &h.Hook)
	}
	if i, ok := s.NeverMet(0, &h.Hook); ok {
		return "its match condition " + h.Conditions[i].Name + " is false for every request that its rules match"
	}
	var all []string
	for _, rule := range h.Criteria[0].Rules {
		why := s.Unmatched(0, &h.Hook, rule)
		if why == "" {
			return ""
		}
		if !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	return strings.Join(all, "; ")
}
