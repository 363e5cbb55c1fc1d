package survey

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/space"
)

// silent says why there is no request at all that a hook is asked about, if its rules show that; else it is empty.
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
					return "" // so it has another reason
				}
				if !slices.Contains(missing, r.String()) {
					missing = append(missing, r.String())
				}
			}
		}
	}
	return "no " + didyoumean.Few(missing) + " is served: is a CustomResourceDefinition missing?"
}
