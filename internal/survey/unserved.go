package survey

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/space"
)

// unserved returns the resources that rules of hooks name and no world serves: nothing is known about requests to them.
func unserved(s *space.Space, worlds ...*World) (names []string) {
	for _, w := range worlds {
		for i := range w.hooks {
			for _, name := range w.hooks[i].unserved(s) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// unserved returns those that the rules of a hook name. A rule may list many groups for the sake of one of them, so a
// resource counts only if none of the groups has it.
func (h *hook) unserved(s *space.Space) (names []string) {
	for _, c := range h.Criteria {
		for _, r := range c.Rules {
			for _, resource := range r.Resources {
				name, _, _ := strings.Cut(resource, "/")
				served := func(group string) bool { return s.Serves(schema.GroupResource{Group: group, Resource: name}, "") }
				if slices.ContainsFunc(r.APIGroups, served) {
					continue
				}
				for _, group := range r.APIGroups {
					one := strings.TrimSuffix(name+"."+group, ".")
					if !slices.Contains(names, one) {
						names = append(names, one)
					}
				}
			}
		}
	}
	return names
}

// addUnserved adds the resources that the rules of one hook name and no world serves.
func addUnserved(d *document.Survey, s *space.Space, h *hook) {
	for _, name := range h.unserved(s) {
		if !slices.Contains(d.Unserved, name) {
			d.Unserved = append(d.Unserved, name)
		}
	}
	slices.Sort(d.Unserved)
}
